import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { OrderIdInPath } from '#shared/contract/text.ts';
import { PayoutRecord } from '#shared/payouts/contract.ts';
import { shownPayout } from '#shared/payouts/examples.ts';

export const GetPayout = contract({
  operationId: 'getPayout',
  method: 'GET',
  path: '/order/v1/banking/order-payouts/{id}',
  tag: 'Payouts',
  summary: 'Get a payout',
  description:
    'The body of its creation as it is now, whom it pays, from where and how, and its times. The payments of a batch are read with their payout, never by themselves.',
  params: {
    id: OrderIdInPath.meta({ description: 'The payout.', examples: ['6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a00'] }),
  },
  responses: { 200: PayoutRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetPayout> => ({
  request: { params: { id: exampleIds.payoutId } },
  response: { status: 200, body: shownPayout },
});
