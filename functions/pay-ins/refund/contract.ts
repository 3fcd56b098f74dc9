import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { AmountToReturn } from '#shared/contract/amount.ts';
import { Description } from '#shared/contract/text.ts';
import { PayInId } from '#shared/pay-ins/contract.ts';
import { paidPayIn } from '#shared/pay-ins/examples.ts';
import { CreatedRefund, refundRequest } from '#shared/refunds/contract.ts';

export const RefundPayIn = contract({
  operationId: refundRequest,
  method: 'POST',
  path: '/order/v1/banking/order-payins/{id}/refunds',
  tag: 'Pay-ins',
  summary: 'Refund a pay-in',
  description:
    'Asks for the return of what was paid, or of a part of it, within 90 days of the payment. Several refunds may be open at once; together they are at most the amount of the pay-in. The amount is reserved at once. The refund ends with the notification `ORDER-PAYIN.REFUNDED`, or with `ORDER-PAYIN.REFUND_FAILED`: then the amount is available again, and another refund may be requested. **A part is not the whole:** after it the pay-in is still `PAID`, with `refundedAmount`; once all has gone back it is `REFUNDED`. The idempotency key never expires.',
  idempotencyKey: 'required',
  params: { id: PayInId },
  body: {
    amount: AmountToReturn,
    description: Description.optional().meta({
      description: 'Free text for the refund.',
      examples: ['Devolução a pedido'],
    }),
  },
  responses: { 201: CreatedRefund },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof RefundPayIn> => ({
  request: { params: { id: exampleIds.payInId }, body: { description: 'Devolução a pedido' } },
  response: {
    status: 201,
    body: {
      refundId: exampleIds.refundId,
      orderId: exampleIds.payInId,
      amount: paidPayIn.amount,
      createdAt: '2026-01-16T09:58:00.000Z',
      status: 'PENDING',
    },
  },
});
