import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { pagedBy, pageOf } from '#shared/contract/page.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const ListScheduledPayments = contract({
  operationId: 'listScheduledPayments',
  method: 'GET',
  path: '/public/v1/banking/subscriptions/{id}/payments',
  tag: 'Scheduled payments',
  summary: 'List the scheduled payments of a subscription',
  description: 'By due date, resends included.',
  idempotencyKey: 'none',
  params: z.strictObject({ id: Uuid.meta({ description: 'The subscription.' }) }),
  query: z.strictObject({
    ...pagedBy('due date', 'asc'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(ScheduledPaymentRecord) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
