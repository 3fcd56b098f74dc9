import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { paidPayIn } from '#shared/payouts/examples.ts';
import type { GetPayIn } from './contract.ts';

export const example: ExampleOf<typeof GetPayIn> = {
  request: { params: { id: exampleIds.payInId } },
  answer: { status: 200, body: paidPayIn },
};
