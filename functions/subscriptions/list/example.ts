import type { ExampleOf } from '#shared/contract/example.ts';
import { acceptedSubscription } from '#shared/subscriptions/examples.ts';
import type { ListSubscriptions } from './contract.ts';

export const example: ExampleOf<typeof ListSubscriptions> = {
  request: { query: { status: 'ACCEPTED', limit: '20' } },
  answer: { status: 200, body: { nextCursor: null, hasNext: false, data: [acceptedSubscription] } },
};
