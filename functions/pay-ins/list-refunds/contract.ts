import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { RefundRecord } from '#shared/refunds/contract.ts';

export const ListRefunds = contract({
  operationId: 'listRefunds',
  method: 'GET',
  path: '/order/v1/banking/order-payins/{id}/refunds',
  tag: 'Pay-ins',
  summary: 'List the refunds of a pay-in',
  description: 'All of them, newest first: at most one that is open or settled, and those that failed.',
  idempotencyKey: 'none',
  params: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'The pay-in.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: {
    200: z
      .strictObject({ data: z.array(RefundRecord).meta({ description: 'Newest first.' }) })
      .meta({ description: 'The refunds of a pay-in.' }),
  },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
