import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { SetClock } from './contract.ts';

export const example: ExampleOf<typeof SetClock> = {
  request: { body: { advanceSeconds: 86_400 } },
  answer: {
    status: 200,
    body: {
      now: '2026-01-16T12:00:00.000Z',
      offsetSeconds: 86_400,
      jobsRun: 1,
      remaining: 0,
      jobs: [
        {
          kind: 'PAY_IN_EXPIRY',
          resource: { type: 'PAY_IN', id: exampleIds.payInId },
          deliveryIds: [exampleIds.deliveryId],
        },
      ],
    },
  },
};
