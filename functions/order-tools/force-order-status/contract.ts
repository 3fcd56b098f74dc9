import * as z from 'zod';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { triggersOf } from '#shared/core/transition.ts';
import { payInTransitions } from '#shared/pay-ins/states.ts';
import { payoutTransitions } from '#shared/payouts/states.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { ToolResponse, OrderToolId } from '#shared/sandbox/tool.ts';

export const ForceOrderStatus = contract({
  operationId: 'forceOrderStatus',
  method: 'PUT',
  path: '/order-tools/v1/order/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a pay-in, a payout, one payment of a batch, or a return',
  description:
    'Stands for the bank’s callback and sends the notification that the callback would cause. Pay-ins: `PAID`, `CANCELED`, `EXPIRED`, `ERROR`, and `REFUNDED` from `PAID`: it settles every open refund and returns what is left (a connected bank of API Pix only settles what is open); the id of a refund settles that one. The return of a credit, by its `returnId`: `REFUNDED` settles it, `ERROR` fails it. Payouts: `PAID`, `ERROR`, `CANCELED`; the id of a batch moves every payment of it that is still open. Not available in production.',
  body: {
    id: OrderToolId,
    status: z
      .enum([...new Set([...triggersOf(payInTransitions, 'bank'), ...triggersOf(payoutTransitions, 'bank')])])
      .meta({ description: 'What the bank is to say; `x-transitions` of this document lists from where.' }),
  },
  responses: { 200: ToolResponse },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof ForceOrderStatus> => ({
  request: { body: { id: exampleIds.payInId, status: 'PAID' } },
  response: {
    status: 200,
    body: { id: exampleIds.payInId, description: `Pay-in ${exampleIds.payInId}: status PENDING → PAID.` },
  },
});
