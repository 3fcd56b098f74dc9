import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';
import type { ListScheduledPayments } from './contract.ts';

export const example: ExampleOf<typeof ListScheduledPayments> = {
  request: { params: { id: exampleIds.subscriptionId }, query: { limit: '20' } },
  answer: { status: 200, body: { nextCursor: null, hasNext: false, data: [pendingPayment] } },
};
