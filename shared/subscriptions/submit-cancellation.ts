import { askAgainAt } from '../core/resubmission.ts';
import type { Cancellation, SubscriptionWithCancellations } from './model.ts';
import { openCancellation } from './model.ts';
import { untilCommitted } from '../platform/commit.ts';
import { cancellationDueAgain, cancellationNoLongerDue, readSubscription } from './store.ts';
import type { Bank } from '../bank/bank.ts';
import { submitOnce } from '../bank/bank.ts';
import type { SubmittedCommand } from '../platform/submit-in-time.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { moveSubscription } from './transition.ts';

/**
 * Hands the cancellation of a recurrence to the bank: the request that is open, or the withdrawal that ended it here
 * already; `again` where it may have been handed over before. A request that the bank refuses is rejected. A withdrawal
 * stands whatever the bank says: nothing is charged to a subscription that is canceled.
 */
export async function submitCancellation(
  context: TransitionContext & { readonly bank: Pick<Bank, 'recurrences'> },
  { subscription, cancellations }: SubscriptionWithCancellations,
  { again }: { readonly again: boolean },
): Promise<SubmittedCommand> {
  const { store, bank, companyId, at } = context;
  const cancellation = openCancellation(cancellations) ?? cancellations.findLast(({ status }) => status === 'ACCEPTED');
  if (cancellation === undefined) return 'NOTHING_TO_DO';
  const order = { reference: cancellation.id, recurrenceId: subscription.providerId };
  const asking = { companyId, at };
  const give = () => bank.recurrences.cancel(order, asking);
  const find = () => bank.recurrences.findCancellation(order.reference, asking);
  const end = await submitOnce({ submit: give, find }, { again, whenUnknown: 'ASK' });
  if (end.outcome === 'UNKNOWN') {
    await store.writeOne(cancellationDueAgain(companyId, cancellation, askAgainAt(at)));
    return 'UNKNOWN';
  }
  if (end.outcome === 'REFUSED' && cancellation.status === 'PENDING') {
    await reject(context, cancellation);
    return 'REFUSED';
  }
  await store.writeOne(cancellationNoLongerDue(companyId, cancellation));
  return end.outcome === 'DONE' ? 'ACCEPTED' : 'REFUSED';
}

/** A request that was answered meanwhile stays what it is. */
async function reject(context: TransitionContext, { id, subscriptionId }: Cancellation): Promise<void> {
  await untilCommitted(async () => {
    const current = await readSubscription(context.store, context.companyId, subscriptionId, 'LATEST');
    if (current === undefined) throw new Error('A subscription with a cancellation request is not there.');
    if (openCancellation(current.cancellations)?.id !== id) return true;
    const { committed } = await moveSubscription(context, current, { outcome: 'CANCELLATION_REJECTED' });
    return committed.ok || undefined;
  });
}
