import * as z from 'zod';
import { Amount } from './amount.ts';
import { Party } from './party.ts';
import { Batch } from './payout.ts';
import { SubscriptionEventData } from './subscription.ts';
import { Id, Timestamp } from './text.ts';

/** What the service POSTs to partners (section 6), for the OpenAPI document and for the check of every body in tests. */

const Pix = z.strictObject({ type: z.enum(['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM']), key: z.string() });
const Bank = z.strictObject({
  ispb: z.string().optional(),
  name: z.string().optional(),
  branch: z.string().optional(),
  account: z.string().optional(),
  accountType: z.string().optional(),
  code: z.string().optional().meta({ description: 'COMPE number.' }),
  pix: Pix.optional(),
});
const Counterpart = Party.extend({ bank: Bank.optional(), pix: Pix.optional() });
const OwnerBank = z.strictObject({
  name: z.string().optional(),
  document: z.string().optional(),
  bank: Bank.optional(),
  pix: Pix.optional(),
});
const Origin = z.strictObject({
  id: Id,
  code: z.string().meta({ description: 'The `externalId` of the subscription.' }),
  scheduledPayment: z.strictObject({ id: Id, externalId: z.string() }).optional(),
});

/** What 6.2 and 6.4 share. */
const order = {
  id: Id,
  code: z.string().meta({ description: 'The `externalId` of the order.' }),
  paidAt: Timestamp.nullable(),
  updatedAt: Timestamp,
  endToEndId: z.string().nullable(),
  controlNumber: z.string().nullable(),
  message: z.string(),
  description: z.string().optional(),
  amount: Amount,
  ownerBank: OwnerBank.optional(),
};

/** `ORDER-PAYIN.PAID`, `.EXPIRED`, `.CANCELED`, `.ERROR` (6.2). */
export const PayInNotification = z.strictObject({
  ...order,
  event: z.enum(['ORDER-PAYIN.PAID', 'ORDER-PAYIN.EXPIRED', 'ORDER-PAYIN.CANCELED', 'ORDER-PAYIN.ERROR']),
  status: z.enum(['PAID', 'EXPIRED', 'CANCELED', 'ERROR']),
  type: z.literal('PAY-IN'),
  customerMessage: z.string().optional(),
  payer: Counterpart,
  subscription: Origin.optional(),
});

/** `ORDER-PAYIN.REFUNDED` (6.3). */
export const RefundNotification = z.strictObject({
  id: Id,
  code: z.string(),
  event: z.literal('ORDER-PAYIN.REFUNDED'),
  status: z.literal('REFUNDED'),
  type: z.literal('REFUND'),
  refundId: z.string(),
  paidAt: Timestamp.nullable(),
  refundedAt: Timestamp.nullable(),
  updatedAt: Timestamp,
  endToEndId: z.string().nullable(),
  message: z.string(),
  subscription: Origin.optional(),
});

/** `ORDER-PAYOUT.PAID`, `.CANCELED`, `.ERROR` (6.4). */
export const PayoutNotification = z.strictObject({
  ...order,
  event: z.enum(['ORDER-PAYOUT.PAID', 'ORDER-PAYOUT.CANCELED', 'ORDER-PAYOUT.ERROR']),
  status: z.enum(['PAID', 'CANCELED', 'ERROR']),
  type: z.literal('PAY-OUT'),
  receiver: Counterpart,
  batch: Batch.omit({ transactions: true }).optional().meta({
    description: 'Of a payout that was split. An `ERROR` may have been paid in part: never pay the whole amount again.',
  }),
});

/** `SUBSCRIPTION.*` to the subscription's `webhookUrl`. */
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

/** What a partner's endpoint answers (4.8); any 2xx acknowledges. */
export const Acknowledgement = z.object({ returnCode: z.string().meta({ examples: ['SUCCESS'] }) });
