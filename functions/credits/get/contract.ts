import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { CreditId, CreditRecord } from '#shared/credits/contract.ts';
import { openCredit } from '#shared/credits/examples.ts';

export const GetCredit = contract({
  operationId: 'getCredit',
  method: 'GET',
  path: '/order/v1/banking/credits/{id}',
  tag: 'Credits',
  summary: 'Get unexpected money',
  description: 'A credit with its returns.',
  params: { id: CreditId },
  responses: { 200: CreditRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetCredit> => ({
  request: { params: { id: exampleIds.creditId } },
  response: { status: 200, body: openCredit },
});
