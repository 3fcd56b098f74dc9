import type { Instant } from '../core/brasilia-time.ts';
import { plusMilliseconds } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import type { Notification } from '../platform/outbox/delivery.ts';
import type { ChargeCancellationNotification, ScheduledPaymentNotification } from './notification-contract.ts';
import { notificationJson } from '../contract/notification.ts';
import type { ChargeTerms } from './model.ts';
import type { PaymentEvent, ScheduledPaymentEvent } from './states.ts';
import { chargeCancellationEvents } from './states.ts';
import { canceledPaymentView, scheduledPaymentView } from './view.ts';

type CancellationEvent = (typeof chargeCancellationEvents)[number];
const cancellationEvents: ReadonlySet<ScheduledPaymentEvent> = new Set(chargeCancellationEvents);

function isOfCancellation(event: ScheduledPaymentEvent): event is CancellationEvent {
  return cancellationEvents.has(event);
}

/**
 * Returns the notifications of a payment's events to the subscription's `webhookUrl`. The body has the record, or the
 * fields of 6.5 for a cancellation. Events of one transition are a millisecond apart, so that they keep their order
 * when sorted by time.
 */
export function chargeNotifications(
  events: readonly PaymentEvent[],
  { webhookUrl, subscription }: Pick<ChargeTerms, 'webhookUrl' | 'subscription'>,
  { ids, requestId, at }: { readonly ids: Ids; readonly requestId: string; readonly at: Instant },
): readonly Omit<Notification, 'createdAt'>[] {
  return events.map(({ event, payment }, place) => {
    return {
      id: ids.uuid(),
      resource: { type: 'SCHEDULED_PAYMENT', id: payment.id },
      target: { endpoint: webhookUrl, subscription: subscription.id },
      requestId,
      event,
      body: bodyOf({ event, payment }, plusMilliseconds(at, place)),
    };
  });
}

function bodyOf({ event, payment }: PaymentEvent, occurredAt: Instant): string {
  if (isOfCancellation(event)) {
    const data = canceledPaymentView(payment);
    return notificationJson<typeof ChargeCancellationNotification>({ event, occurredAt, data });
  }
  const data = scheduledPaymentView(payment);
  return notificationJson<typeof ScheduledPaymentNotification>({ event, occurredAt, data });
}
