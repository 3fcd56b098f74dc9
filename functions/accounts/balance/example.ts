import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { exampleTimes } from '#shared/contract/examples/times.ts';
import type { GetBalance } from './contract.ts';

export const example: ExampleOf<typeof GetBalance> = {
  request: { params: { accountId: exampleIds.accountId } },
  answer: {
    status: 200,
    body: {
      accountId: exampleIds.accountId,
      currency: 'BRL',
      available: '1022.65',
      reserved: '7.25',
      updatedAt: exampleTimes.paid,
    },
  },
};
