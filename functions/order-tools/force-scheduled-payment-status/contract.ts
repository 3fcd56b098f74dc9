import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ToolAnswer, ToolId, wordOfPayersBank } from '#shared/sandbox/tool.ts';
import { simulatedChargeTriggers } from '#shared/sandbox/charge-events.ts';

export const ForceScheduledPaymentStatus = contract({
  operationId: 'forceScheduledPaymentStatus',
  method: 'PUT',
  path: '/order-tools/v1/banking/subscription/payments/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a scheduled payment',
  description:
    'Stands for the callback of the payer’s bank and sends the notifications that the callback would cause. `COMPLETED` makes the settled pay-in and credits the account. `CANCELED_SETTLEMENT_ERROR` on the payment’s own day before 21:00 in Brasilia is followed by a resend, at most three times. Not available in production.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({
    id: ToolId,
    status: z.enum(simulatedChargeTriggers).meta(wordOfPayersBank),
  }),
  answers: { 200: ToolAnswer },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
  tool: true,
});
