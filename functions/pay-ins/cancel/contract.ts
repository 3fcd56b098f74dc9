import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { PayInRecord } from '#shared/pay-ins/contract.ts';

export const CancelPayIn = contract({
  operationId: 'cancelPayIn',
  method: 'POST',
  path: '/order/v1/banking/order-payins/{id}/cancellations',
  tag: 'Pay-ins',
  summary: 'Cancel a pay-in that is not paid',
  description:
    'Takes the charge away, so that nobody can pay it any more, and sends `ORDER-PAYIN.CANCELED`. It has neither body nor key: a repetition answers with the same record and notifies nobody again.',
  idempotencyKey: 'none',
  onceBy: 'STATE',
  params: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(64)
      .meta({ description: 'The pay-in.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: PayInRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
