import type { Cancellation, Subscription, SubscriptionWithCancellations } from './model.ts';
import type { RecurrenceFacts, SubscriptionEvent, SubscriptionMove } from './states.ts';
import { decideSubscription } from './states.ts';
import { subscriptionNotification } from './notification.ts';
import type { CommitResult, OutboxEntry } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import { sweepInsert } from './sweeps.ts';
import { cancellationPut, subscriptionUpdate } from './store.ts';
import { countStatus } from '../platform/count-status.ts';
import type { MoveContext } from '../pay-ins/transition.ts';

/**
 * Moves a subscription: its new state, the cancellation request it answers and the notification, in one transaction. A
 * bank's callback, its refusal of a request and the simulation tool run through here.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function moveSubscription(
  context: MoveContext,
  current: SubscriptionWithCancellations,
  facts: RecurrenceFacts,
): Promise<{ committed: CommitResult; moved: SubscriptionMove; notifications: readonly OutboxEntry[] }> {
  const { store, ids, at, realNow, companyId } = context;
  const moved = decideSubscription(current, facts, { at, id: ids.uuid() });
  const { subscription, cancellation } = moved;
  const notifications = notificationsOf(moved, current.cancellations, context);
  const committed = await commit(store, {
    companyId,
    at: realNow(),
    writes: [
      subscriptionUpdate(companyId, current.subscription, subscription),
      ...(cancellation ? [cancellationPut(companyId, cancellation)] : []),
      ...(leavesPayments(current.subscription, subscription)
        ? [sweepInsert(companyId, { subscriptionId: subscription.id, canceledAt: at })]
        : []),
    ],
    notifications,
  });
  if (committed.ok && subscription.status !== current.subscription.status)
    countStatus('SUBSCRIPTION', subscription.status);
  return { committed, moved, notifications };
}

/** Only an accepted subscription can have scheduled payments that its end leaves open. */
function leavesPayments(before: Subscription, after: Subscription): boolean {
  return before.status === 'ACCEPTED' && after.status === 'CANCELED';
}

/** What the partner is told of a move: nothing of a request that waits for the bank. */
export function notificationsOf(
  { subscription, cancellation, event }: SubscriptionMove,
  before: readonly Cancellation[],
  source: Pick<MoveContext, 'ids' | 'at' | 'requestId'>,
): readonly OutboxEntry[] {
  if (event === undefined) return [];
  const others = before.filter(({ id }) => id !== cancellation?.id);
  const cancellations = cancellation === undefined ? others : [...others, cancellation];
  return [subscriptionMoveNotification(event, { subscription, cancellations }, source)];
}

/** One event of a subscription, to the address that it names. */
export function subscriptionMoveNotification(
  event: SubscriptionEvent,
  aggregate: SubscriptionWithCancellations,
  { ids, at, requestId }: Pick<MoveContext, 'ids' | 'at' | 'requestId'>,
): OutboxEntry {
  const { id, webhookUrl } = aggregate.subscription;
  const base = { id: ids.uuid(), requestId, resource: { type: 'SUBSCRIPTION', id } } as const;
  return { ...base, target: { endpoint: webhookUrl }, ...subscriptionNotification(event, at, aggregate) };
}
