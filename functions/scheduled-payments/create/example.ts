import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';
import type { CreateScheduledPayment } from './contract.ts';

export const example: ExampleOf<typeof CreateScheduledPayment> = {
  request: {
    params: { id: exampleIds.subscriptionId },
    body: { externalId: pendingPayment.externalId, dueDate: pendingPayment.dueDate, amount: pendingPayment.amount },
  },
  answer: { status: 201, body: pendingPayment },
};
