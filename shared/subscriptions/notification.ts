import type { Instant } from '#shared/core/brasilia-time.ts';
import type { SubscriptionWithCancellations } from './model.ts';
import type { SubscriptionEvent } from './states.ts';
import { eventCancellations } from './states.ts';
import { subscriptionEventData } from './view.ts';

/**
 * The body of a subscription event: `{ event, occurredAt, data }`, data being the record (2.4) without the image, and
 * with the latest 10 cancellation requests of however many there were.
 */
export function subscriptionNotification(
  event: SubscriptionEvent,
  occurredAt: Instant,
  { subscription, cancellations }: SubscriptionWithCancellations,
): { event: string; body: string } {
  const latest = cancellations.slice(-eventCancellations);
  const data = subscriptionEventData({ subscription, cancellations: latest });
  return { event, body: JSON.stringify({ event, occurredAt, data }) };
}
