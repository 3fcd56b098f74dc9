import * as z from 'zod';
import {
  CANCELLATION_REASONS,
  CANCELLATION_STATUSES,
  FREQUENCIES,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTION_TYPES,
} from '../domain/subscription.ts';
import { Amount } from './amount.ts';
import { DateOnly } from './date.ts';
import { Document, Party } from './party.ts';
import { Id, Timestamp } from './text.ts';

/** A cancellation request (2.5). */
export const CancellationRecord = z.strictObject({
  id: Id,
  idempotencyKey: z.string(),
  status: z.enum(CANCELLATION_STATUSES),
  statusHistory: z.array(z.strictObject({ status: z.enum(CANCELLATION_STATUSES), createdAt: Timestamp })),
  reason: z.enum(CANCELLATION_REASONS),
  customer: z.strictObject({ document: Document }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const shape = {
  id: Id,
  providerId: z.string(),
  type: z.enum(SUBSCRIPTION_TYPES),
  status: z.enum(SUBSCRIPTION_STATUSES),
  statusHistory: z.array(z.strictObject({ status: z.enum(SUBSCRIPTION_STATUSES), createdAt: Timestamp })),
  initialCharge: z
    .strictObject({
      orderId: Id.optional(),
      expireDateTime: Timestamp,
      conciliationId: z.string(),
      amount: Amount,
    })
    .optional(),
  allowChargeAfterDueDate: z.boolean().optional(),
  allowAdjustToBusinessDay: z.boolean().optional(),
  frequencyType: z.enum(FREQUENCIES),
  startDate: DateOnly,
  endDate: DateOnly.optional(),
  fixedAmount: Amount.optional(),
  maxAmountFloor: Amount.optional(),
  debtor: Party,
  receiver: z.strictObject({ id: Id, fullName: z.string(), document: Document }),
  payer: z
    .strictObject({
      name: z.string().optional(),
      document: Document,
      bankData: z
        .strictObject({ ispb: z.string(), accountNumber: z.string(), branchNumber: z.string().optional() })
        .optional(),
    })
    .optional(),
  description: z.string().optional(),
  webhookUrl: z.string(),
  externalId: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp.optional(),
  cancellations: z.array(CancellationRecord),
};

/** The answer to the creation of a subscription (2.3). */
export const CreatedSubscription = z.strictObject({
  id: Id,
  status: z.literal('PENDING_AUTHORIZATION'),
  qrcodeImageBase64: z.string().meta({ contentEncoding: 'base64', description: 'PNG without a data-URI prefix.' }),
  qrcodeData: z.string(),
  providerId: z.string(),
  externalId: z.string(),
  initialCharge: z
    .strictObject({ orderId: Id, amount: Amount, conciliationId: z.string(), expireDateTime: Timestamp })
    .optional(),
});

/** A subscription (2.4). */
export const SubscriptionRecord = z.strictObject({
  ...shape,
  qrcodeDetail: z.strictObject({ imageBase64: z.string(), qrcodeData: z.string() }),
});

/** `data` of the subscription events: the record without the image. */
export const SubscriptionEventData = z.strictObject({
  ...shape,
  qrcodeDetail: z.strictObject({ qrcodeData: z.string() }),
});
