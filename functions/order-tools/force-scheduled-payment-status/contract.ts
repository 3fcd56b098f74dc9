import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { simulatedChargeTriggers } from '#shared/sandbox/charge-events.ts';
import { ToolResponse, ToolId, wordOfPayersBank } from '#shared/sandbox/tool.ts';

export const ForceScheduledPaymentStatus = contract({
  operationId: 'forceScheduledPaymentStatus',
  method: 'PUT',
  path: '/order-tools/v1/banking/subscription/payments/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a scheduled payment',
  description:
    'Stands for the callback of the payer’s bank and sends the notifications that the callback would cause. `COMPLETED` makes the settled pay-in and credits the account. `CANCELED_SETTLEMENT_ERROR` on the payment’s own day before 21:00 in Brasilia is followed by a resend, at most three times. Not available in production.',
  body: { id: ToolId, status: z.enum(simulatedChargeTriggers).meta(wordOfPayersBank) },
  responses: { 200: ToolResponse },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof ForceScheduledPaymentStatus> => ({
  request: { body: { id: exampleIds.paymentId, status: 'ACCEPTED' } },
  response: {
    status: 200,
    body: {
      id: exampleIds.paymentId,
      description: `Scheduled payment ${exampleIds.paymentId}: ACCEPTED applied; status PENDING → ACCEPTED; event SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED.`,
    },
  },
});
