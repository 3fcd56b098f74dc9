import * as z from 'zod';
import { PAY_IN_STATUSES } from '../domain/pay-in.ts';
import { Amount } from './amount.ts';
import { Id, Timestamp } from './text.ts';

/** A pay-in (2.6). */
export const PayInRecord = z.strictObject({
  id: Id,
  externalId: z.string(),
  status: z.enum(PAY_IN_STATUSES),
  errorMessage: z.string().optional(),
  qrcodeImageBase64: z.string(),
  qrcodeData: z.string(),
  expireDateTime: Timestamp,
  amount: Amount,
  description: z.string(),
  conciliationId: z.string(),
  endToEndId: z.string().optional(),
  paymentMethod: z.literal('PIX'),
  createdAt: Timestamp,
  paidAt: Timestamp.optional(),
  refundedAt: Timestamp.optional(),
  canceledAt: Timestamp.optional(),
  expiredAt: Timestamp.optional(),
});
