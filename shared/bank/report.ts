import { nowMs } from '../platform/clock.ts';
import { log } from '../platform/log.ts';
import type { MetricBy } from '../platform/metrics.ts';
import { emit } from '../platform/metrics.ts';

/** Findings about a bank that a person must look at, each with its metric and its log message. */
export const reports = {
  AnswersAboutOthers: 'the bank answered about another thing than was asked for',
  BalanceDiffers: "the bank's balance differs from the entries",
  BalanceNotCompared: "the bank's balance was not compared: too much moved",
  BankAccessRefused: 'the bank refuses our access',
  BankCertificateEnds: 'the certificate for a bank ends soon',
  BankContradictions: 'the bank contradicts a final status',
  BanksPaused: 'the bank of a company is paused',
  CreditsUnmatched: 'money came in that no charge expects',
  UnsolicitedReturns: 'the bank returned money that nobody asked for here',
  PayoutsReturnedLate: 'money of a paid payout came back',
} as const satisfies Partial<Readonly<Record<MetricBy<'bank'>, string>>>;

/** Counts and logs it, by ids alone. Call it after the commit. */
export function report(
  what: keyof typeof reports,
  where: Readonly<Record<string, string | undefined>> & { readonly companyId: string },
): void {
  emit(nowMs(), 'bank', { service: 'bank' }, [{ name: what, unit: 'Count', value: 1 }]);
  log('error', reports[what], where);
}
