import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import { recurrenceTimeoutMs, responseTimeoutMs } from '../bank/outcome.ts';
import { repeating } from '../bank/repeat.ts';
import { report } from '../bank/report.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import type { SubmittedCommand } from '../bank/submit-in-time.ts';
import { readWithdrawal, withdrawalNoLongerDue, withdrawalTaken } from './store.ts';

type WithdrawingContext = Pick<TransitionContext, 'store' | 'companyId' | 'at'> & {
  readonly bank: Pick<Bank, 'recurrences' | 'capabilities'>;
  readonly remainingMs?: () => number;
};

/**
 * Ends at its bank a recurrence that the service has ended, if its withdrawal is due. A recurrence that the payer
 * authorized meanwhile is canceled; one that has ended there needs nothing more. The status of the subscription stays.
 * A refusal of the bank is reported: the recurrence stays open there, but is never charged.
 */
export async function submitWithdrawal(context: WithdrawingContext, subscriptionId: string): Promise<SubmittedCommand> {
  const { store, bank, companyId, at, remainingMs = () => Infinity } = context;
  const withdrawal = await readWithdrawal(store, companyId, subscriptionId);
  if (withdrawal === undefined) return 'NOTHING_TO_DO';
  const { recurrenceId, connection, takenAt } = withdrawal;
  // Written before the bank call: after a crash the next lookup comes later than the bank's reads lag.
  if (!(await store.writeOne(withdrawalTaken(companyId, withdrawal, at))).ok) return 'NOTHING_TO_DO';
  const order = { reference: subscriptionId, recurrenceId };
  const response = await submitOnce(
    bank.recurrences.cancel,
    order,
    { companyId, connection, at },
    {
      again: takenAt !== undefined && (await repeating(context, 'recurrenceCancellation', { ...order, connection })),
      whenUnknown: 'LEAVE',
      remainingMs: () => remainingMs() - (recurrenceTimeoutMs - responseTimeoutMs),
    },
  );
  if (response.outcome !== 'DONE' && response.outcome !== 'REFUSED') return 'UNKNOWN';
  const { ok } = await store.writeOne(withdrawalNoLongerDue(companyId, withdrawal));
  if (response.outcome === 'DONE') return 'ACCEPTED';
  if (ok) report('BankContradictions', { companyId, subscriptionId, said: 'REFUSED' });
  return 'REFUSED';
}
