import type { ExampleOf } from '#shared/contract/example.ts';
import { createdSubscription, requestedSubscription } from '#shared/subscriptions/examples.ts';
import type { CreateSubscription } from './contract.ts';

export const example: ExampleOf<typeof CreateSubscription> = {
  request: { body: requestedSubscription },
  answer: { status: 201, body: createdSubscription },
};
