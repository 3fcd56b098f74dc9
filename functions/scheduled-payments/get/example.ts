import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { pendingPayment } from '#shared/scheduled-payments/examples.ts';
import type { GetScheduledPayment } from './contract.ts';

export const example: ExampleOf<typeof GetScheduledPayment> = {
  request: { params: { id: exampleIds.subscriptionId, paymentId: exampleIds.paymentId } },
  answer: { status: 200, body: pendingPayment },
};
