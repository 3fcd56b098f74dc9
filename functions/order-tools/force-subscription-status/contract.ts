import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { ToolAnswer, ToolId, wordOfPayersBank } from '#shared/sandbox/tool.ts';

export const ForceSubscriptionStatus = contract({
  operationId: 'forceSubscriptionStatus',
  method: 'PUT',
  path: '/order-tools/v1/banking/subscription/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a subscription',
  description:
    'Stands for the callback of the payer’s bank and sends the notification that the callback would cause. Not available in production.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({
    id: ToolId,
    status: z.enum(['ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLATION_REJECTED']).meta(wordOfPayersBank),
  }),
  answers: { 200: ToolAnswer },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
  tool: true,
});
