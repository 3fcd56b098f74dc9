import * as z from 'zod';
import { Amount } from '../../shared/contracts/amount.ts';
import { Document } from '../../shared/contracts/party.ts';
import { SubscriptionEventData } from '../../shared/contracts/subscription.ts';
import { Id, Timestamp } from '../../shared/contracts/text.ts';
import type { Notification } from '../support/receiver.ts';
import { signatureFaults } from '../support/receiver-signatures.ts';

/** The notifications as section 6 of the specification lists their fields: one field too many is a fault. */

const Pix = z.strictObject({ type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']), key: z.string() });
const Bank = z.strictObject({
  ispb: z.string().optional(),
  name: z.string().optional(),
  branch: z.string().optional(),
  account: z.string().optional(),
  accountType: z.string().optional(),
  code: z.string().optional(),
});
const OwnerBank = z.strictObject({
  name: z.string(),
  document: z.string(),
  bank: Bank.optional(),
  pix: Pix.optional(),
});
const Counterpart = z.strictObject({
  name: z.string(),
  document: Document,
  bank: Bank.optional(),
  pix: Pix.optional(),
});
const OfSubscription = z.strictObject({
  id: Id,
  code: z.string(),
  scheduledPayment: z.strictObject({ id: Id, externalId: z.string() }).optional(),
});
const EndToEndId = z.string().regex(/^E[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/u);

const order = {
  id: Id,
  code: z.string(),
  paidAt: Timestamp.nullable(),
  updatedAt: Timestamp,
  endToEndId: EndToEndId.nullable(),
  controlNumber: z.string().nullable(),
  message: z.string().min(1),
  description: z.string(),
  amount: Amount,
  ownerBank: OwnerBank,
};

/** 6.2 */
export const PayInNotification = z.strictObject({
  ...order,
  event: z.enum(['ORDER-PAYIN.PAID', 'ORDER-PAYIN.EXPIRED', 'ORDER-PAYIN.CANCELED', 'ORDER-PAYIN.ERROR']),
  status: z.enum(['PAID', 'EXPIRED', 'CANCELED', 'ERROR']),
  type: z.literal('PAY-IN'),
  customerMessage: z.string().optional(),
  payer: Counterpart,
  subscription: OfSubscription.optional(),
});

/** 6.3 */
export const RefundNotification = z.strictObject({
  id: Id,
  code: z.string(),
  event: z.literal('ORDER-PAYIN.REFUNDED'),
  status: z.literal('REFUNDED'),
  type: z.literal('REFUND'),
  refundId: z.string().min(1),
  paidAt: Timestamp,
  refundedAt: Timestamp,
  updatedAt: Timestamp,
  endToEndId: z.string().regex(/^D[0-9A-Z]{8}\d{12}[A-Za-z0-9]{11}$/u),
  message: z.string(),
  subscription: OfSubscription.optional(),
});

/** 6.4, with `batch` when the payout was split. */
export const PayoutNotification = z.strictObject({
  ...order,
  event: z.enum(['ORDER-PAYOUT.PAID', 'ORDER-PAYOUT.CANCELED', 'ORDER-PAYOUT.ERROR']),
  status: z.enum(['PAID', 'CANCELED', 'ERROR']),
  type: z.literal('PAY-OUT'),
  receiver: Counterpart,
  batch: z
    .strictObject({
      id: Id,
      transactionsCount: z.int(),
      paidCount: z.int(),
      failedCount: z.int(),
      pendingCount: z.int(),
      paidAmount: z.string(),
      pendingAmount: z.string(),
    })
    .optional(),
});

/** Events of a subscription: its record without the image. */
export const SubscriptionNotification = z.strictObject({
  event: z.enum([
    'SUBSCRIPTION.ACCEPTED',
    'SUBSCRIPTION.REJECTED',
    'SUBSCRIPTION.CANCELED',
    'SUBSCRIPTION.CANCELLATION.REJECTED',
  ]),
  occurredAt: Timestamp,
  data: SubscriptionEventData,
});

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
    ...signatureFaults(notification, secret),
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
