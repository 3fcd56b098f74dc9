import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { ExternalId } from '#shared/contract/text.ts';
import { PayInId, PayInRecord } from '#shared/pay-ins/contract.ts';
import { paidPayIn } from '#shared/pay-ins/examples.ts';

export const GetPayIn = contract({
  operationId: 'getPayIn',
  method: 'GET',
  path: '/order/v1/banking/order-payins/{id}',
  tag: 'Pay-ins',
  summary: 'Get a pay-in',
  description: 'Answers by `id`; if the company has no pay-in of that id, by `externalId`.',
  params: { id: PayInId },
  query: { externalId: ExternalId.optional().meta({ description: 'Looked for when no pay-in has the id.' }) },
  responses: { 200: PayInRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetPayIn> => ({
  request: { params: { id: exampleIds.payInId } },
  response: { status: 200, body: paidPayIn },
});
