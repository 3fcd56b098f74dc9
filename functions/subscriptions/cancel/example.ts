import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { openCancellation } from '#shared/subscriptions/examples.ts';
import type { CancelSubscription } from './contract.ts';

export const example: ExampleOf<typeof CancelSubscription> = {
  request: { params: { id: exampleIds.subscriptionId }, body: { reason: 'REQUESTED_BY_RECEIVER' } },
  answer: { status: 201, body: openCancellation },
};
