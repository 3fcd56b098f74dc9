import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { ListKeys } from './contract.ts';

export const example: ExampleOf<typeof ListKeys> = {
  request: { params: { accountId: exampleIds.accountId }, query: { limit: '20' } },
  answer: {
    status: 200,
    body: {
      nextCursor: null,
      hasNext: false,
      data: [
        {
          validationId: exampleIds.validationId,
          type: 'EMAIL',
          key: 'maria@example.com',
          status: 'CONFIRMED',
          createdAt: exampleTimes.created,
          expiresAt: '2026-01-15T12:30:00.000Z',
          confirmedAt: exampleTimes.authorized,
        },
      ],
    },
  },
};
