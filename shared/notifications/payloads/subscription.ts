import type { Instant } from '../../domain/brasilia-time.ts';
import type { SubscriptionEvent, SubscriptionWithCancellations } from '../../domain/subscription.ts';
import { subscriptionEventData } from '../../views/subscription.ts';

/** The body of a subscription event: `{ event, occurredAt, data }`, data being the record (2.4) without the image. */
export function subscriptionNotification(
  event: SubscriptionEvent,
  occurredAt: Instant,
  aggregate: SubscriptionWithCancellations,
): { event: string; body: string } {
  return { event, body: JSON.stringify({ event, occurredAt, data: subscriptionEventData(aggregate) }) };
}
