import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const GetScheduledPayment = contract({
  operationId: 'getScheduledPayment',
  method: 'GET',
  path: '/public/v1/banking/subscriptions/{id}/payments/{paymentId}',
  tag: 'Scheduled payments',
  summary: 'Get a scheduled payment',
  description: 'As it is now, with every status that it had. Resends by the service are payments of their own.',
  idempotencyKey: 'none',
  params: z.strictObject({
    id: Uuid.meta({ description: 'The subscription.' }),
    paymentId: Uuid.meta({ description: 'The scheduled payment.' }),
  }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: ScheduledPaymentRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
