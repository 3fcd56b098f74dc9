import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayIn } from '#shared/payouts/examples.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { CancelPayIn } from './contract.ts';

export const example: ExampleOf<typeof CancelPayIn> = {
  request: { params: { id: exampleIds.payInId } },
  answer: { status: 200, body: { ...pendingPayIn, status: 'CANCELED', canceledAt: exampleTimes.paid } },
};
