import * as z from 'zod';
import { PAYOUT_STATUSES } from '../domain/payout-batch.ts';
import { Id, Timestamp } from './text.ts';

const Decimal = z
  .string()
  .regex(/^\d+\.\d{2}$/u)
  .meta({ description: 'BRL, always two decimals.' });

/** The payments into which a payout above the limit of one transaction was split (2.8). */
export const Batch = z.strictObject({
  id: Id.meta({ description: 'The id of the payout itself.' }),
  transactionsCount: z.int(),
  paidCount: z.int(),
  failedCount: z.int(),
  pendingCount: z.int(),
  paidAmount: Decimal,
  pendingAmount: Decimal,
  transactions: z.array(
    z.strictObject({
      id: Id,
      idempotencyKey: z.string(),
      sequence: z.int().min(1),
      amount: Decimal,
      status: z.enum([
        'INITIAL',
        'PENDING',
        'PAID',
        'EXPIRED',
        'ANALYSIS',
        'REFUNDED',
        'PARTIAL_REFUNDED',
        'PARTIALLY_PAID',
        'CANCELED',
        'ERROR',
      ]),
      endToEndId: z.string().optional(),
      paidAt: Timestamp.optional(),
      errorMessage: z.string().optional(),
    }),
  ),
});

/** The answer to the creation of a payout (2.7). */
export const CreatedPayout = z.strictObject({
  id: Id,
  externalId: z.string(),
  status: z.enum(PAYOUT_STATUSES),
  amount: Decimal,
  currency: z.literal('BRL'),
  description: z.string(),
  endToEndId: z.string().optional().meta({ description: 'PIX; of a batch, that of its first payment.' }),
  controlNumber: z.string().optional().meta({ description: 'TED, from when it is sent.' }),
  batch: Batch.optional(),
  errorMessage: z.string().optional(),
});

/** A payout as it is read: the body of its creation with its times. */
export const PayoutRecord = CreatedPayout.extend({
  createdAt: Timestamp,
  updatedAt: Timestamp,
  paidAt: Timestamp.optional(),
});
