import type { Instant } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Notification } from '../platform/outbox/delivery.ts';
import type { SubscriptionNotification } from './notification-contract.ts';
import { notificationJson } from '../contract/notification.ts';
import type { Cancellation, SubscriptionWithCancellations } from './model.ts';
import type { SubscriptionDecision, SubscriptionEvent } from './states.ts';
import { eventCancellations } from './states.ts';
import { subscriptionEventData } from './view.ts';

type OutboxEntry = Omit<Notification, 'createdAt'>;
type Origin = { readonly ids: Ids; readonly at: Instant; readonly requestId: string };

/** Returns the notification of a decision; none for a request that waits for the bank. */
export function decisionNotifications(
  { subscription, cancellation, event }: SubscriptionDecision,
  before: readonly Cancellation[],
  origin: Origin,
): readonly OutboxEntry[] {
  if (event === undefined) return [];
  const others = before.filter(({ id }) => id !== cancellation?.id);
  const cancellations = cancellation === undefined ? others : [...others, cancellation];
  return [subscriptionNotification(event, { subscription, cancellations }, origin)];
}

/** One event of a subscription to its `webhookUrl`: the record (2.4) without the image, with the latest 10 requests. */
export function subscriptionNotification(
  event: SubscriptionEvent,
  { subscription, cancellations }: SubscriptionWithCancellations,
  { ids, at, requestId }: Origin,
): OutboxEntry {
  const { id, webhookUrl } = subscription;
  const latest = cancellations.slice(-eventCancellations);
  const data = subscriptionEventData({ subscription, cancellations: latest });
  return {
    id: ids.uuid(),
    requestId,
    resource: { type: 'SUBSCRIPTION', id },
    target: { endpoint: webhookUrl, subscription: id },
    event,
    body: notificationJson<typeof SubscriptionNotification>({ event, occurredAt: at, data }),
  };
}
