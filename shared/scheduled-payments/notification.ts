import type { Instant } from '#shared/core/brasilia-time.ts';
import type { ScheduledPaymentEvent, ToldPayment } from './states.ts';
import { chargeCancellationEvents } from './states.ts';
import { canceledPaymentView, scheduledPaymentView } from './view.ts';

const cancellationEvents: ReadonlySet<ScheduledPaymentEvent> = new Set(chargeCancellationEvents);

/** The body of `SUBSCRIPTION.SCHEDULED_PAYMENT.*`: the record, and for a cancellation the fields of 6.5 alone. */
export function scheduledPaymentNotification(
  { event, payment }: ToldPayment,
  occurredAt: Instant,
): { event: string; body: string } {
  const data = cancellationEvents.has(event) ? canceledPaymentView(payment) : scheduledPaymentView(payment);
  return { event, body: JSON.stringify({ event, occurredAt, data }) };
}
