import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ScheduledPaymentRecord } from '#shared/scheduled-payments/contract.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';

export const GetScheduledPayment = contract({
  operationId: 'getScheduledPayment',
  method: 'GET',
  path: '/public/v1/banking/subscriptions/{id}/payments/{paymentId}',
  tag: 'Scheduled payments',
  summary: 'Get a scheduled payment',
  description: 'As it is now, with every status that it had. Resends by the service are payments of their own.',
  params: {
    id: Uuid.meta({ description: 'The subscription.' }),
    paymentId: Uuid.meta({ description: 'The scheduled payment.' }),
  },
  responses: { 200: ScheduledPaymentRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetScheduledPayment> => ({
  request: { params: { id: exampleIds.subscriptionId, paymentId: exampleIds.paymentId } },
  response: { status: 200, body: pendingPayment },
});
