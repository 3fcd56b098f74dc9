import * as z from 'zod';
import { AmountInput } from '#shared/contract/amount.ts';
import type { AddDetail, LooseFields, ExampleOf } from '#shared/contract/contract.ts';
import { betweenFields, contract, having } from '#shared/contract/contract.ts';
import { brl, exampleIds } from '#shared/contract/examples.ts';
import { PartyInput } from '#shared/contract/party.ts';
import { Description, ExternalId, Uuid } from '#shared/contract/text.ts';
import { formatAmount } from '#shared/core/money.ts';
import { CreatedPayout, payoutCreation, PaymentMethod } from '#shared/payouts/contract.ts';
import { pendingPayout } from '#shared/payouts/examples.ts';
import { PaymentDataInput } from '#shared/payouts/payment-data.ts';
import { qrCodeTarget } from '#shared/payouts/target.ts';

/** Rules of 2.7 between fields. */
function payoutRules({ paymentMethod, receiver, paymentData, amount }: LooseFields, add: AddDetail): void {
  const { pixKey, qrcodeData, bankAccount } = fieldsOf(paymentData);
  if (paymentMethod === 'TED') {
    if (pixKey !== undefined) add('paymentData.pixKey', 'INVALID_VALUE', 'A TED is paid to a bankAccount only.');
    if (qrcodeData !== undefined)
      add('paymentData.qrcodeData', 'INVALID_VALUE', 'A TED is paid to a bankAccount only.');
  }
  if (receiver === undefined && (paymentMethod === 'TED' || bankAccount !== undefined))
    add('receiver', 'REQUIRED', 'Is required for TED and for a payment to a bankAccount.');
  const code = typeof qrcodeData === 'string' ? qrCodeTarget(qrcodeData) : undefined;
  if (code === undefined || 'details' in code || code.initiation !== 'STATIC_QRCODE') return;
  if (code.amount !== undefined && typeof amount === 'number' && amount !== code.amount)
    add('amount.value', 'INVALID_VALUE', `Must be the amount of the QR code: ${formatAmount(code.amount)}.`);
}

function fieldsOf(value: unknown): LooseFields {
  return typeof value === 'object' && value !== null ? (value as LooseFields) : {};
}

export const CreatePayout = contract({
  operationId: payoutCreation,
  method: 'POST',
  path: '/order/v1/banking/order-payouts',
  tag: 'Payouts',
  summary: 'Create a payout by PIX or TED',
  description:
    'Reserves the amount and hands the payout to the bank. A PIX payout above the limit of one transaction is split into a batch of at most 90 payments. **A batch notifies once, when its last payment is final; if only some were paid, that is `ORDER-PAYOUT.ERROR` with `batch`: never pay the whole amount again, only what is missing.** A TED is accepted at any time and sent from 06:30 to 17:00 (Brasilia) of a banking day; `controlNumber` is there once it is sent. The idempotency key never expires: it can never pay twice.',
  idempotencyKey: 'required',
  body: z
    .strictObject({
      externalId: ExternalId,
      accountId: Uuid.meta({ description: 'The account that pays.' }),
      paymentMethod: PaymentMethod,
      receiver: PartyInput.optional().meta({
        description:
          'Whom you mean to pay. Required for TED and for a `bankAccount`; for a key or a QR code it is compared with the owner, and another one is 409 `OWNER_MISMATCH`.',
      }),
      paymentData: PaymentDataInput,
      amount: AmountInput.meta({ description: 'What is to be paid; of a static QR code with an amount, that amount.' }),
      description: Description,
      allowDuplicate: z
        .boolean()
        .optional()
        .meta({
          description:
            '`true` creates the payout also where the account refuses one with the account, receiver and amount of ' +
            'another of the last ten minutes. Without effect elsewhere.',
          examples: [true],
        }),
    })
    .check(betweenFields(payoutRules))
    .meta({
      openapi: {
        if: { properties: { paymentMethod: { const: 'TED' } } },
        then: { properties: { receiver: {}, paymentData: having('bankAccount') }, required: ['receiver'] },
        else: { if: { properties: { paymentData: having('bankAccount') } }, then: having('receiver') },
      },
    }),
  responses: { 201: CreatedPayout },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof CreatePayout> => ({
  request: {
    body: {
      externalId: pendingPayout.externalId,
      accountId: exampleIds.accountId,
      paymentMethod: 'PIX',
      paymentData: { pixKey: 'maria@example.com' },
      amount: brl('7.25'),
      description: pendingPayout.description,
    },
  },
  response: { status: 201, body: pendingPayout },
});
