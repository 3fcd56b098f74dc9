import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { ToolAnswer, ToolId, wordOfPayersBank } from '#shared/sandbox/tool.ts';

export const ForceSubscriptionStatus = contract({
  operationId: 'forceSubscriptionStatus',
  method: 'PUT',
  path: '/order-tools/v1/banking/subscription/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a subscription',
  description:
    'Stands for the callback of the payer’s bank and sends the notification that the callback would cause. Not available in production.',
  body: {
    id: ToolId,
    status: z.enum(['ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLATION_REJECTED']).meta(wordOfPayersBank),
  },
  responses: { 200: ToolAnswer },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof ForceSubscriptionStatus> => ({
  request: { body: { id: exampleIds.subscriptionId, status: 'ACCEPTED' } },
  response: {
    status: 200,
    body: {
      id: exampleIds.subscriptionId,
      description: `Subscription ${exampleIds.subscriptionId}: ACCEPTED applied; status PENDING_AUTHORIZATION → ACCEPTED; event SUBSCRIPTION.ACCEPTED.`,
    },
  },
});
