import * as z from 'zod';
import type { AddDetail, ExampleOf, LooseFields } from '#shared/contract/contract.ts';
import { betweenFields, contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { ToolResponse, ToolId, wordOfPayersBank } from '#shared/sandbox/tool.ts';

function bodyRules({ status, withFirstCharge }: LooseFields, add: AddDetail): void {
  if (withFirstCharge === true && status !== undefined && status !== 'ACCEPTED')
    add('withFirstCharge', 'INVALID_VALUE', 'Is only for ACCEPTED.');
}

export const ForceSubscriptionStatus = contract({
  operationId: 'forceSubscriptionStatus',
  method: 'PUT',
  path: '/order-tools/v1/banking/subscription/status',
  tag: 'Simulation tools',
  summary: 'Force the status of a subscription',
  description:
    'Stands for the callback of the payer’s bank and sends the notification that the callback would cause. It moves the subscription alone, whatever became of its first charge; with `withFirstCharge` both in one step, as a payer does who reads the code: `ORDER-PAYIN.PAID`, then `SUBSCRIPTION.ACCEPTED`. Not available in production.',
  body: z
    .strictObject({
      id: ToolId,
      status: z.enum(['ACCEPTED', 'REJECTED', 'CANCELED', 'CANCELLATION_REJECTED']).meta(wordOfPayersBank),
      withFirstCharge: z
        .boolean()
        .optional()
        .meta({
          description:
            'Only with `ACCEPTED`, of a subscription whose code has a first charge: `true` pays that, too, as a payer does.',
          openapi: { default: false },
        }),
    })
    .check(betweenFields(bodyRules))
    .meta({
      openapi: {
        if: { properties: { withFirstCharge: { const: true } }, required: ['withFirstCharge'] },
        then: { properties: { status: { const: 'ACCEPTED' } } },
      },
    }),
  responses: { 200: ToolResponse },
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
