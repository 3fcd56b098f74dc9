import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { shownPayout } from '#shared/payouts/examples.ts';
import type { GetPayout } from './contract.ts';

export const example: ExampleOf<typeof GetPayout> = {
  request: { params: { id: exampleIds.payoutId } },
  answer: { status: 200, body: shownPayout },
};
