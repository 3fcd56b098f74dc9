import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { DisputeId, DisputeRecord } from '#shared/disputes/contract.ts';
import { openDispute } from '#shared/disputes/examples.ts';

export const GetDispute = contract({
  operationId: 'getDispute',
  method: 'GET',
  path: '/order/v1/banking/disputes/{id}',
  tag: 'Disputes',
  summary: 'Get a dispute',
  description: 'A payment that its payer claims back, with your defence.',
  params: { id: DisputeId },
  responses: { 200: DisputeRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetDispute> => ({
  request: { params: { id: exampleIds.disputeId } },
  response: { status: 200, body: openDispute },
});
