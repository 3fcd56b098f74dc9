import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { pagedBy, pageOf } from '#shared/contract/page.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';

export const ListScheduledPayments = contract({
  operationId: 'listScheduledPayments',
  method: 'GET',
  path: '/public/v1/banking/subscriptions/{id}/payments',
  tag: 'Scheduled payments',
  summary: 'List the scheduled payments of a subscription',
  description: 'By due date, resends included.',
  params: { id: Uuid.meta({ description: 'The subscription.' }) },
  query: pagedBy('due date', 'asc'),
  responses: { 200: pageOf(ScheduledPaymentRecord) },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof ListScheduledPayments> => ({
  request: { params: { id: exampleIds.subscriptionId }, query: { limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [pendingPayment] } },
});
