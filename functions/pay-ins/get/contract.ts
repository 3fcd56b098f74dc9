import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { PayInRecord } from '#shared/pay-ins/contract.ts';
import { ExternalId, text } from '#shared/contract/text.ts';

export const GetPayIn = contract({
  operationId: 'getPayIn',
  method: 'GET',
  path: '/order/v1/banking/order-payins/{id}',
  tag: 'Pay-ins',
  summary: 'Get a pay-in',
  description: 'Answers by `id`; if the company has no pay-in of that id, by `externalId`.',
  idempotencyKey: 'none',
  params: z.strictObject({
    id: text(64).meta({ description: 'The pay-in.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  }),
  query: z.strictObject({
    externalId: ExternalId.optional().meta({ description: 'Looked for when no pay-in has the id.' }),
  }),
  body: z.strictObject({}),
  answers: { 200: PayInRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
