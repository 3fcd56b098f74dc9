import type { Subscription, SubscriptionWithCancellations } from './model.ts';
import type { RecurrenceEvent, SubscriptionDecision } from './states.ts';
import { decideSubscription } from './states.ts';
import { decisionNotifications } from './notification.ts';
import type { Actor } from '../core/transition.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { Put } from '../platform/table/store.ts';
import { cancellationPut, subscriptionUpdate, sweepInsert, withdrawalInsert } from './store.ts';

/**
 * Returns the transition of a subscription after an event of its recurrence, with the resolved cancellation request and
 * the notification. If the service itself ends the recurrence, the writes also include the due work that ends it at its
 * bank. @throws RequestError
 */
export function subscriptionTransition(
  context: Pick<TransitionContext, 'ids' | 'at' | 'companyId' | 'requestId'>,
  current: SubscriptionWithCancellations,
  event: RecurrenceEvent,
  by: Actor = 'bank',
): Transition<SubscriptionDecision> {
  const { ids, at, companyId } = context;
  const { subscription: before, cancellations } = current;
  const decision = decideSubscription(current, event, { at, id: ids.uuid(), by });
  const { subscription, cancellation } = decision;
  return {
    writes: [
      subscriptionUpdate(companyId, before, subscription),
      ...(cancellation ? [cancellationPut(companyId, cancellation)] : []),
      ...(event.outcome !== 'ENDED' && leavesPayments(before, subscription)
        ? [sweepInsert(companyId, { subscriptionId: subscription.id, canceledAt: at })]
        : []),
      ...(by === 'service' ? withdrawalOf(subscription, { companyId, at }) : []),
    ],
    notifications: decisionNotifications(decision, cancellations, context),
    reached: subscription.status === before.status ? [] : [['SUBSCRIPTION', subscription.status]],
    result: decision,
  };
}

/** Only an accepted subscription can have scheduled payments that its cancellation leaves open. */
function leavesPayments(before: Subscription, after: Subscription): boolean {
  return before.status === 'ACCEPTED' && after.status === 'CANCELED';
}

/**
 * Returns the due work that ends the recurrence at its bank, where the payer could still authorize it. The simulated
 * bank keeps no recurrences: none there.
 */
function withdrawalOf(
  { id: subscriptionId, status, providerId: recurrenceId, connection }: Subscription,
  { companyId, at }: Pick<TransitionContext, 'companyId' | 'at'>,
): readonly Put[] {
  if (connection === undefined || (status !== 'REJECTED' && status !== 'CANCELED')) return [];
  return [withdrawalInsert(companyId, { subscriptionId, recurrenceId, connection, createdAt: at })];
}
