import type { Cancellation, SubscriptionMove, SubscriptionWithCancellations } from '../domain/subscription.ts';
import { decideSubscription } from '../domain/subscription.ts';
import { subscriptionNotification } from '../notifications/payloads/subscription.ts';
import type { Committed } from '../persistence/commit.ts';
import { commit } from '../persistence/commit.ts';
import { cancellationWritten, subscriptionMoved } from '../persistence/subscriptions.ts';
import { simulatedSubscriptionCallback } from '../provider/simulated-callback.ts';
import { countStatus } from './count-status.ts';
import type { MoveContext } from './move-pay-in.ts';

/**
 * Moves a subscription: its new state, the cancellation request it answers and the notification, in one transaction.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function moveSubscription(
  context: MoveContext,
  current: SubscriptionWithCancellations,
  trigger: string,
): Promise<{ committed: Committed; moved: SubscriptionMove }> {
  const { store, ids, at, companyId, requestId } = context;
  const moved = decideSubscription(current, trigger, simulatedSubscriptionCallback(context));
  const { subscription, cancellation, event } = moved;
  const cancellations = merged(current.cancellations, cancellation);
  const target = { endpoint: subscription.webhookUrl };
  const notification = subscriptionNotification(event, at, { subscription, cancellations });
  const committed = await commit(store, {
    companyId,
    at,
    writes: [
      subscriptionMoved(companyId, current.subscription, subscription),
      ...(cancellation ? [cancellationWritten(companyId, cancellation)] : []),
    ],
    notifications: [{ id: ids.uuid(), createdAt: at, requestId, target, ...notification }],
  });
  if (committed.ok && subscription.status !== current.subscription.status)
    countStatus('SUBSCRIPTION', subscription.status);
  return { committed, moved };
}

function merged(before: readonly Cancellation[], changed: Cancellation | undefined): readonly Cancellation[] {
  if (changed === undefined) return before;
  const known = before.some(({ id }) => id === changed.id);
  return known ? before.map((one) => (one.id === changed.id ? changed : one)) : [...before, changed];
}
