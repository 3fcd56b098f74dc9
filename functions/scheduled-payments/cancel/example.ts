import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { openChargeCancellation } from '#shared/scheduled-payments/examples.ts';
import type { CancelScheduledPayment } from './contract.ts';

export const example: ExampleOf<typeof CancelScheduledPayment> = {
  request: {
    params: { id: exampleIds.subscriptionId, paymentId: exampleIds.paymentId },
    body: { reason: 'REQUESTED_BY_RECEIVER' },
  },
  answer: { status: 201, body: openChargeCancellation },
};
