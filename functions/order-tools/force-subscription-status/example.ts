import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { ForceSubscriptionStatus } from './contract.ts';

export const example: ExampleOf<typeof ForceSubscriptionStatus> = {
  request: { body: { id: exampleIds.subscriptionId, status: 'ACCEPTED' } },
  answer: {
    status: 200,
    body: {
      id: exampleIds.subscriptionId,
      description: `Subscription ${exampleIds.subscriptionId}: ACCEPTED applied; status PENDING_AUTHORIZATION → ACCEPTED; event SUBSCRIPTION.ACCEPTED.`,
    },
  },
};
