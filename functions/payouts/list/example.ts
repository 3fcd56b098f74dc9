import type { ExampleOf } from '#shared/contract/example.ts';
import { shownPayout } from '#shared/payouts/examples.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { ListPayouts } from './contract.ts';

export const example: ExampleOf<typeof ListPayouts> = {
  request: { query: { status: 'PAID', limit: '20' } },
  answer: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [{ ...shownPayout, status: 'PAID', updatedAt: exampleTimes.paid, paidAt: exampleTimes.paid }],
    },
  },
};
