import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { PayInId } from '#shared/pay-ins/contract.ts';
import { paidPayIn } from '#shared/pay-ins/examples.ts';
import { RefundRecord } from '#shared/refunds/contract.ts';

export const ListRefunds = contract({
  operationId: 'listRefunds',
  method: 'GET',
  path: '/order/v1/banking/order-payins/{id}/refunds',
  tag: 'Pay-ins',
  summary: 'List the refunds of a pay-in',
  description: 'All of them, newest first, those that failed too.',
  params: { id: PayInId },
  responses: {
    200: z
      .strictObject({ data: z.array(RefundRecord).meta({ description: 'Newest first.' }) })
      .meta({ description: 'The refunds of a pay-in.' }),
  },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ListRefunds> => ({
  request: { params: { id: exampleIds.payInId } },
  response: {
    status: 200,
    body: {
      data: [
        {
          refundId: exampleIds.refundId,
          orderId: exampleIds.payInId,
          amount: paidPayIn.amount,
          createdAt: '2026-01-16T09:58:00.000Z',
          status: 'SETTLED',
          description: 'Devolução a pedido',
        },
      ],
    },
  },
});
