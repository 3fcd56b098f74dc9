import { AmountInput } from '#shared/contract/amount.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, maria } from '#shared/contract/examples.ts';
import { PartyInput } from '#shared/contract/party.ts';
import { Description, ExternalId, Uuid } from '#shared/contract/text.ts';
import { wholeNumber } from '#shared/contract/whole-number.ts';
import { PayInRecord } from '#shared/pay-ins/contract.ts';
import { pendingPayIn } from '#shared/pay-ins/examples.ts';

export const CreatePayIn = contract({
  operationId: 'createPayIn',
  method: 'POST',
  path: '/order/v1/banking/order-payins',
  tag: 'Pay-ins',
  summary: 'Create a pay-in and its QR code',
  description:
    'A PIX charge with a dynamic QR code. It expires after `expiresInSeconds` (86400 unless given), with its notification within a minute or so. `payer` is who is expected to pay: every notification names the payer.',
  idempotencyKey: 'required',
  body: {
    externalId: ExternalId,
    accountId: Uuid.meta({ description: 'The account that receives.' }),
    amount: AmountInput.meta({ description: 'What is to be paid.' }),
    description: Description,
    payer: PartyInput.meta({ description: 'Who is expected to pay: every notification names the payer.' }),
    expiresInSeconds: wholeNumber({ min: 60, max: 2_592_000, default: 86_400, examples: [3600] })
      .optional()
      .meta({ description: 'How long it can be paid, seconds.' }),
  },
  responses: { 201: PayInRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreatePayIn> => ({
  request: {
    body: {
      externalId: pendingPayIn.externalId,
      accountId: exampleIds.accountId,
      amount: pendingPayIn.amount,
      description: pendingPayIn.description,
      payer: maria,
    },
  },
  response: { status: 201, body: pendingPayIn },
});
