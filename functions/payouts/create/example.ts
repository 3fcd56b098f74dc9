import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayout } from '#shared/payouts/examples.ts';
import { brl } from '#shared/contract/examples/parties.ts';
import type { CreatePayout } from './contract.ts';

export const example: ExampleOf<typeof CreatePayout> = {
  request: {
    body: {
      externalId: pendingPayout.externalId,
      accountId: exampleIds.accountId,
      paymentMethod: 'PIX',
      paymentData: { pixKey: 'maria@example.com' },
      amount: brl('7.25'),
      description: pendingPayout.description,
    },
  },
  answer: { status: 201, body: pendingPayout },
};
