import * as z from 'zod';
import { Amount } from '../../../shared/contracts/amount.ts';
import { contract } from '../../../shared/contracts/contract.ts';
import { Description, Id, Timestamp } from '../../../shared/contracts/text.ts';

export const RefundPayIn = contract({
  operationId: 'refundPayIn',
  method: 'POST',
  path: '/order/v1/banking/order-payins/{id}/refunds',
  tag: 'Pay-ins',
  summary: 'Refund a pay-in',
  description:
    'Asks for the return of the whole amount of a paid pay-in, within 90 days of its payment and one at a time. The amount is reserved at once; the refund is final with the notification `ORDER-PAYIN.REFUNDED`. The idempotency key never expires.',
  idempotencyKey: 'required',
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  query: z.strictObject({}),
  body: z.strictObject({ description: Description.optional() }),
  answers: {
    201: z.strictObject({
      refundId: z.string(),
      orderId: Id,
      amount: Amount,
      status: z.literal('PENDING'),
      createdAt: Timestamp,
    }),
  },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
