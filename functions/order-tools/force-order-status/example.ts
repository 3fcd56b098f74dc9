import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { ForceOrderStatus } from './contract.ts';

export const example: ExampleOf<typeof ForceOrderStatus> = {
  request: { body: { id: exampleIds.payInId, status: 'PAID' } },
  answer: {
    status: 200,
    body: { id: exampleIds.payInId, description: `Pay-in ${exampleIds.payInId}: status PENDING → PAID.` },
  },
};
