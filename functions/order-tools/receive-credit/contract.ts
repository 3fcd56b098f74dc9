import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { AmountInput } from '#shared/contract/amount.ts';
import { brl, exampleIds, maria } from '#shared/contract/examples.ts';
import { PartyInput } from '#shared/contract/party.ts';
import { Uuid } from '#shared/contract/text.ts';
import { ToolResponse } from '#shared/sandbox/tool.ts';

export const ReceiveCredit = contract({
  operationId: 'receiveCredit',
  method: 'POST',
  path: '/order-tools/v1/banking/credits',
  tag: 'Simulation tools',
  summary: 'Receive money that no open charge expects',
  description:
    'Stands for a payment to the account’s PIX key or, with `orderId`, to the QR code of that pay-in: a second payment, another amount, or one after its end. The amount of a `PENDING` pay-in would pay it: 409. Not available in production.',
  body: {
    accountId: Uuid.meta({ description: 'The account that gets the money.' }),
    amount: AmountInput,
    payer: PartyInput.optional().meta({ description: 'Who pays; a made-up person when it is absent.' }),
    orderId: Uuid.optional().meta({ description: 'The pay-in whose QR code is paid.' }),
  },
  responses: { 201: ToolResponse },
  errors: ['NOT_FOUND'],
  tool: true,
});

export const example = (): ExampleOf<typeof ReceiveCredit> => ({
  request: { body: { accountId: exampleIds.accountId, amount: brl('29.90'), payer: maria } },
  response: {
    status: 201,
    body: { id: exampleIds.creditId, description: `Credit ${exampleIds.creditId} of 29.90: OPEN.` },
  },
});
