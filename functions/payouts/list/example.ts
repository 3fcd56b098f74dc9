import type { ExampleOf } from '#shared/contracts/example.ts';
import { pendingPayout } from '#shared/contracts/examples/orders.ts';
import { exampleTimes } from '#shared/contracts/examples/times.ts';
import type { ListPayouts } from './contract.ts';

export const example: ExampleOf<typeof ListPayouts> = {
  request: { query: { status: 'PAID', limit: '20' } },
  answer: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          ...pendingPayout,
          status: 'PAID',
          createdAt: exampleTimes.created,
          updatedAt: exampleTimes.paid,
          paidAt: exampleTimes.paid,
        },
      ],
    },
  },
};
