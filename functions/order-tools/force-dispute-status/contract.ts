import * as z from 'zod';
import type { AddDetail, ExampleOf, LooseFields } from '#shared/contract/contract.ts';
import { betweenFields, contract, having } from '#shared/contract/contract.ts';
import { AmountInput } from '#shared/contract/amount.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { disputeKinds } from '#shared/core/dispute-kind.ts';
import { disputeStatuses } from '#shared/disputes/model.ts';
import { ToolId, ToolResponse } from '#shared/sandbox/tool.ts';

const names = ['id', 'orderId', 'creditId'] as const;

/** Names one dispute, or one payment; an amount belongs to a claim and to what goes back. */
function ofOnePayment(body: LooseFields, add: AddDetail): void {
  const given = names.filter((name) => body[name] !== undefined);
  if (given.length === 0) add('id', 'REQUIRED', 'Send id, orderId or creditId.');
  if (given.length > 1) for (const name of given) add(name, 'MUTUALLY_EXCLUSIVE', 'Send one of id, orderId, creditId.');
  const { status, amount, kind, id } = body;
  if (status === 'OPEN' && id !== undefined && given.length === 1)
    add('id', 'INVALID_VALUE', 'OPEN opens a dispute of a payment: send orderId or creditId.');
  if (amount !== undefined && status !== 'OPEN' && status !== 'ACCEPTED')
    add('amount', 'INVALID_VALUE', 'Only OPEN and ACCEPTED have an amount.');
  if (kind !== undefined && status !== 'OPEN') add('kind', 'INVALID_VALUE', 'Only OPEN has a kind.');
}

export const ForceDisputeStatus = contract({
  operationId: 'forceDisputeStatus',
  method: 'PUT',
  path: '/order-tools/v1/dispute/status',
  tag: 'Simulation tools',
  summary: 'Open a dispute, or force its status',
  description:
    'Stands for the payer’s bank. `OPEN` with the `orderId` of a paid pay-in, or the `creditId` of unexpected money, opens a dispute: of `amount`, or of all that is left; it can be defended for 7 days. With `id`, or with the payment of an open one: `DEFENDED` (as in the bank’s own app), `ACCEPTED` (`amount` goes back, or all that is claimed), `REJECTED`, `CANCELED`. Not available in production.',
  body: z
    .strictObject({
      id: ToolId.optional(),
      orderId: Uuid.optional().meta({ description: 'The pay-in whose payment is claimed.' }),
      creditId: Uuid.optional().meta({ description: 'The credit whose payment is claimed.' }),
      status: z.enum(disputeStatuses).meta({ description: 'What the payer’s bank is to say.' }),
      amount: AmountInput.optional().meta({
        description: 'Of `OPEN` what is claimed, of `ACCEPTED` what goes back; any other status has none.',
      }),
      kind: z.enum(disputeKinds).optional().meta({ description: 'Of `OPEN`; `FRAUD` when it is absent.' }),
    })
    .check(betweenFields(ofOnePayment))
    .meta({
      openapi: {
        if: { properties: { status: { const: 'OPEN' } } },
        then: { not: having('id'), oneOf: [having('orderId'), having('creditId')] },
        else: {
          oneOf: names.map((name) => having(name)),
          not: having('kind'),
          if: { properties: { status: { const: 'ACCEPTED' } } },
          else: { not: having('amount') },
        },
      },
    }),
  responses: { 200: ToolResponse },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof ForceDisputeStatus> => ({
  request: { body: { orderId: exampleIds.payInId, status: 'OPEN' } },
  response: {
    status: 200,
    body: { id: exampleIds.disputeId, description: `Dispute ${exampleIds.disputeId}: OPEN, 29.90 of 29.90 blocked.` },
  },
});
