import { nowMs } from '../platform/clock.ts';
import { log } from '../platform/log.ts';
import type { MetricBy } from '../platform/metrics.ts';
import { emit } from '../platform/metrics.ts';

/** Findings about a bank that a person must look at, each with its metric and its log message. */
export const reports = {
  AnswersAboutOthers: 'Bank response named another resource than the request',
  BalanceDiffers: 'Balance at the bank differs from the ledger entries',
  BalanceNotCompared: 'Cannot compare the balance at the bank: too much money moved',
  BankAccessRefused: 'Bank refused the access of a company',
  BankCertificateEnds: 'Client certificate for a bank expires soon',
  BankContradictions: 'Bank event contradicts a final status',
  BankValuesUnknown: 'Bank sent a value that the service does not know',
  BanksPaused: 'Service paused its calls to a bank',
  CreditsUnplaced: 'Received Pix names no account of the company',
  UnsolicitedReturns: 'Bank returned a payment without a refund request',
  PayoutsReturnedLate: 'Bank returned the money of a paid payout',
} as const satisfies Partial<Readonly<Record<MetricBy<'bank'>, string>>>;

/** Counts and logs a finding. The log has only ids. Call it after the commit. */
export function report(
  metric: keyof typeof reports,
  where: Readonly<Record<string, string | undefined>> & { readonly companyId: string },
): void {
  emit(nowMs(), 'bank', { service: 'bank' }, [{ name: metric, unit: 'Count', value: 1 }]);
  log('error', reports[metric], where);
}
