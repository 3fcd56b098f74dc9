import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { ListEntries } from './contract.ts';

export const example: ExampleOf<typeof ListEntries> = {
  request: {
    params: { accountId: exampleIds.accountId },
    query: { createdFrom: '2026-01-15T00:00:00-03:00', limit: '50' },
  },
  answer: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          id: '4b5a6978-8796-4a5b-9c4d-3e2f10213243',
          accountId: exampleIds.accountId,
          type: 'PAY_IN',
          available: '29.90',
          reserved: '0.00',
          orderId: exampleIds.payInId,
          createdAt: exampleTimes.paid,
        },
      ],
    },
  },
};
