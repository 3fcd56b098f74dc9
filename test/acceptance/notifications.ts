import * as z from 'zod';
import * as contract from '#shared/webhooks/notification.ts';
import { Timestamp } from '#shared/contract/text.ts';
import type { Notification } from '@banking-order/partner-tools';
import { signatureErrors } from '@banking-order/partner-tools';

/**
 * The notifications as they are promised (section 6), and beyond that the formats of the field and what is always known
 * here.
 */

const EndToEndId = z.string().regex(/^E[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/u);
const ReturnId = z.string().regex(/^D[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/u);
const { ownerBank } = contract.PayInNotification.shape;

const always = {
  endToEndId: EndToEndId.nullable(),
  message: z.string().min(1),
  description: z.string(),
  ownerBank: ownerBank.unwrap().required({ name: true, document: true }),
};

/** 6.2 */
export const PayInNotification = contract.PayInNotification.extend(always);

/** 6.3 */
export const RefundNotification = contract.RefundNotification.extend({
  refundId: z.string().min(1),
  paidAt: Timestamp,
  refundedAt: Timestamp,
  endToEndId: ReturnId,
});

/** 6.4, with `batch` when the payout was split. */
export const PayoutNotification = contract.PayoutNotification.extend(always);

/** Events of a credit: its record; of a return, both. */
export const { CreditNotification, CreditReturnNotification } = contract;

/** Events of a dispute: its record. */
export const { DisputeNotification } = contract;

/** Events of a subscription: its record without the image. */
export const { SubscriptionNotification } = contract;

/** Events of a scheduled payment: its record, or for a cancellation the fields of 6.5. */
export const { ScheduledPaymentNotification, ChargeCancellationNotification } = contract;

/**
 * A notification as the partner may rely on it: a POST of JSON, signed in both ways, with the fields of its schema.
 * @throws Error saying what is wrong.
 */
export function verified<T extends z.ZodType>(notification: Notification, schema: T, secret: string): z.output<T> {
  const { method, headers, raw, body } = notification;
  const faults = [
    ...(method === 'POST' ? [] : [`the method is ${method}`]),
    ...(/^application\/json\b/u.test(headers['content-type'] ?? '')
      ? []
      : ['the content-type is not application/json']),
    ...signatureErrors(notification, secret),
  ];
  const read = schema.safeParse(body);
  if (!read.success) faults.push(z.prettifyError(read.error));
  if (faults.length > 0) throw new Error(`${faults.join('; ')}\n${raw.toString('utf8')}`);
  return read.data as z.output<T>;
}

/** Whether a notification is an event of one resource, by `id` or `data.id`. */
export function isAbout(id: string, event?: string): (notification: Notification) => boolean {
  return ({ body }) => {
    const { id: own, data, event: named } = body as { id?: string; data?: { id?: string }; event?: string };
    return (own ?? data?.id) === id && (event === undefined || named === event);
  };
}
