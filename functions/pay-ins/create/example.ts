import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayIn } from '#shared/payouts/examples.ts';
import { maria } from '#shared/contract/examples/parties.ts';
import type { CreatePayIn } from './contract.ts';

export const example: ExampleOf<typeof CreatePayIn> = {
  request: {
    body: {
      externalId: pendingPayIn.externalId,
      accountId: exampleIds.accountId,
      amount: pendingPayIn.amount,
      description: pendingPayIn.description,
      payer: maria,
    },
  },
  answer: { status: 201, body: pendingPayIn },
};
