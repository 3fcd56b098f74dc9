import type * as z from 'zod';
import {
  ChargeCancellationNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';

const layouts = [
  PayInNotification,
  RefundNotification,
  PayoutNotification,
  SubscriptionNotification,
  ScheduledPaymentNotification,
  ChargeCancellationNotification,
];

/** The layout that is promised for an event; all are objects. @throws Error for an event that none has. */
export function schemaOf(event: string): z.ZodType<Readonly<Record<string, unknown>>> {
  const found = layouts.find(({ shape }) => shape.event.options.some((one) => one === event));
  if (found === undefined) throw new Error(`There is no event ${event}.`);
  return found;
}
