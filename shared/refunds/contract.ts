import * as z from 'zod';
import { refundStatuses } from './model.ts';
import { Amount } from '../contract/amount.ts';
import { ClientOf, ReturnError, ShownDescription } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';

/** The operation that asks for a refund. Its idempotency keys are kept under this name. */
export const refundRequest = 'refundPayIn';

const example = '9c1f0e7d6b5a49388271605f4e3d2c1b';

/** BCB, API Pix, `id` of a devolução. */
export const RefundId = z.string().meta({
  description: 'Id of the refund, 32 hexadecimal digits; its notification names it.',
  examples: [example],
});

export const RefundIdInPath = z
  .string()
  .overwrite((id) => id.toLowerCase())
  .meta({ description: 'The refund.', examples: [example] });

const shape = {
  refundId: RefundId,
  orderId: Id.meta({ description: 'The pay-in that is refunded.' }),
  amount: Amount,
  createdAt: Timestamp,
};

export const CreatedRefund = z
  .strictObject({
    ...shape,
    status: z.literal('PENDING').meta({ description: 'The amount is reserved; the bank has not made the refund yet.' }),
  })
  .meta({ description: 'A refund that was asked for.' });

export const RefundRecord = z
  .strictObject({
    ...shape,
    status: z.enum(refundStatuses).meta({
      description: '`FAILED`: the bank did not make it, and another may be requested.',
    }),
    createdBy: ClientOf.optional(),
    description: ShownDescription.optional(),
    errorMessage: ReturnError,
  })
  .meta({ description: 'The return of what a pay-in received, whole or in part.' });
