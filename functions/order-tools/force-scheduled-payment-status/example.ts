import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import type { ForceScheduledPaymentStatus } from './contract.ts';

export const example: ExampleOf<typeof ForceScheduledPaymentStatus> = {
  request: { body: { id: exampleIds.paymentId, status: 'ACCEPTED' } },
  answer: {
    status: 200,
    body: {
      id: exampleIds.paymentId,
      description: `Scheduled payment ${exampleIds.paymentId}: ACCEPTED applied; status PENDING → ACCEPTED; event SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED.`,
    },
  },
};
