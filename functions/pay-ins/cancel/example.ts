import type { ExampleOf } from '#shared/contracts/example.ts';
import { exampleIds } from '#shared/contracts/examples/ids.ts';
import { pendingPayIn } from '#shared/contracts/examples/orders.ts';
import { exampleTimes } from '#shared/contracts/examples/times.ts';
import type { CancelPayIn } from './contract.ts';

export const example: ExampleOf<typeof CancelPayIn> = {
  request: { params: { id: exampleIds.payInId } },
  answer: { status: 200, body: { ...pendingPayIn, status: 'CANCELED', canceledAt: exampleTimes.paid } },
};
