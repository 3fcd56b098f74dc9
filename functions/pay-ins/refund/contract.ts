import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { CreatedRefund } from '#shared/refunds/contract.ts';
import { Description } from '#shared/contract/text.ts';

export const RefundPayIn = contract({
  operationId: 'refundPayIn',
  method: 'POST',
  path: '/order/v1/banking/order-payins/{id}/refunds',
  tag: 'Pay-ins',
  summary: 'Refund a pay-in',
  description:
    'Asks for the return of the whole amount of a paid pay-in, within 90 days of its payment and one at a time. The amount is reserved at once. The refund ends with the notification `ORDER-PAYIN.REFUNDED`, or with `ORDER-PAYIN.REFUND_FAILED`: then the amount is available again, the pay-in is still `PAID`, and another refund may be requested. The idempotency key never expires.',
  idempotencyKey: 'required',
  params: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'The pay-in.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({
    description: Description.optional().meta({
      description: 'Free text for the refund.',
      examples: ['Devolução a pedido'],
    }),
  }),
  answers: { 201: CreatedRefund },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
