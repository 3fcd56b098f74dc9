import type { Instant } from '#shared/core/brasilia-time.ts';
import type { ScheduledPaymentEvent, ToldPayment } from '#shared/domain/scheduled-payment-moves.ts';
import { chargeCancellationEvents } from '#shared/domain/scheduled-payment-moves.ts';
import { canceledPaymentView, scheduledPaymentView } from '#shared/views/scheduled-payment.ts';

const cancellationEvents: ReadonlySet<ScheduledPaymentEvent> = new Set(chargeCancellationEvents);

/** The body of `SUBSCRIPTION.SCHEDULED_PAYMENT.*`: the record, and for a cancellation the fields of 6.5 alone. */
export function scheduledPaymentNotification(
  { event, payment }: ToldPayment,
  occurredAt: Instant,
): { event: string; body: string } {
  const data = cancellationEvents.has(event) ? canceledPaymentView(payment) : scheduledPaymentView(payment);
  return { event, body: JSON.stringify({ event, occurredAt, data }) };
}
