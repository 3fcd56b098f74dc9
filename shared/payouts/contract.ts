import * as z from 'zod';
import { paymentMethods, payoutStatuses } from './model.ts';
import { Currency, Decimal } from '../contract/amount.ts';
import { Party } from '../contract/party.ts';
import { PaymentData } from './payment-data.ts';
import { ClientOf, EndToEndId, ErrorMessage, ShownDescription, ShownExternalId } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';

/** The operation that creates a payout. Its idempotency keys are kept under this name. */
export const payoutCreation = 'createPayout';

export const PaymentMethod = z
  .enum(paymentMethods)
  .meta({ description: '`PIX` settles in seconds, at any hour; `TED` in the hours of banking days.' });

const count = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [2] });

export const BatchTransaction = z
  .strictObject({
    id: Id.meta({ description: 'The payment: a simulation tool can move it alone.' }),
    idempotencyKey: z.string().meta({
      description: 'The key of the payout for the first payment; with `-2`, `-3`, … for those that follow.',
      examples: ['7d1a3b52-payout-2'],
    }),
    sequence: z
      .int()
      .min(1)
      .meta({ description: 'Its place in the batch, from 1.', examples: [1] }),
    amount: Decimal,
    status: z
      .enum([
        'INITIAL',
        'PENDING',
        'PAID',
        'EXPIRED',
        'ANALYSIS',
        'REFUNDED',
        'PARTIAL_REFUNDED',
        'PARTIALLY_PAID',
        'CANCELED',
        'ERROR',
      ])
      .meta({ description: 'Of this payment alone. The service sets `PENDING`, `PAID`, `CANCELED` and `ERROR`.' }),
    endToEndId: EndToEndId.optional(),
    paidAt: Timestamp.optional().meta({ description: 'When the bank settled it.' }),
    errorMessage: ErrorMessage.optional(),
  })
  .meta({ description: 'One payment of a batch.' });

export const Batch = z
  .strictObject({
    id: Id.meta({ description: 'The id of the payout itself.' }),
    transactionsCount: count('Into how many payments the payout was split.'),
    paidCount: count('How many of them are paid.'),
    failedCount: count('How many of them failed or were canceled.'),
    pendingCount: count('How many of them the bank has not decided yet.'),
    paidAmount: Decimal.meta({
      description:
        'What was paid so far. Read it before you pay anything again: `ERROR` does not mean that nothing was.',
    }),
    pendingAmount: Decimal.meta({ description: 'What is not decided yet.' }),
    transactions: z.array(BatchTransaction).meta({ description: 'The payments, in their order.' }),
  })
  .meta({ description: 'The payments of a payout above the limit of one transaction.' });

export const CreatedPayout = z
  .strictObject({
    id: Id.meta({ description: 'The order: name it when you read it.' }),
    externalId: ShownExternalId,
    status: z.enum(payoutStatuses).meta({
      description:
        '`PENDING`: reserved, and with the bank or waiting for its hours. `PAID`: all of it arrived. `CANCELED`, `ERROR`: nothing ' +
        'was paid, the amount is available again. `PARTIALLY_PAID`: of a batch some payments were made; see `batch`.',
    }),
    amount: Decimal,
    currency: Currency,
    description: ShownDescription,
    endToEndId: EndToEndId.optional().meta({ description: 'PIX; of a batch, that of its first payment.' }),
    controlNumber: z
      .string()
      .optional()
      .meta({ description: 'TED, from when it is sent: `NumCtrlSTR`.', examples: ['STR20260115000000042'] }),
    batch: Batch.optional(),
    errorMessage: ErrorMessage.optional(),
  })
  .meta({ description: 'Money that leaves an account.' });

export const PayoutRecord = CreatedPayout.extend({
  accountId: Id.meta({ description: 'The account that pays.' }),
  paymentMethod: PaymentMethod,
  receiver: Party.meta({
    description:
      'Whom it pays: the owner of the key or QR code as the bank knows them; for a `bankAccount`, as you named them.',
  }),
  paymentData: PaymentData,
  createdAt: Timestamp,
  createdBy: ClientOf.optional(),
  updatedAt: Timestamp.meta({ description: 'Last change.' }),
  paidAt: Timestamp.optional().meta({ description: 'When all of it was paid.' }),
}).meta({ description: 'A payout as it is now: whom it pays, from where and how, with its times.' });
