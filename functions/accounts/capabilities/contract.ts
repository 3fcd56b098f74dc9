import * as z from 'zod';
import { bankAccountTypes } from '#shared/accounts/model.ts';
import { Decimal } from '#shared/contract/amount.ts';
import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { executionEnds, withdrawalEnds } from '#shared/scheduled-payments/window.ts';
import { tedHours } from '#shared/payouts/ted-calendar.ts';
import { paymentMethods } from '#shared/payouts/model.ts';
import { confirmableKeyTypes } from '#shared/pix-keys/model.ts';

const Hour = z.string().meta({ description: 'Hour and minute in Brasilia.', examples: ['17:00'] });

const Limits = z
  .strictObject({
    pixPayment: Decimal.meta({
      description: 'The largest single PIX of a payout. A payout above it is split into several (`batch`).',
      examples: ['15000.00'],
    }),
    pixPayout: Decimal.meta({
      description: 'The largest payout by PIX: as many payments of that size as a batch may have.',
      examples: ['1350000.00'],
    }),
    payoutsPerMinute: z
      .int()
      .min(1)
      .optional()
      .meta({
        description: 'Payouts that the account may create in a calendar minute: 429 above. Absent without a limit.',
        examples: [600],
      }),
  })
  .meta({ description: 'Limits of the account.' });

const Hours = z
  .strictObject({
    ted: z
      .strictObject({ from: Hour, until: Hour })
      .optional()
      .meta({
        description:
          'When a TED is sent, on a banking day: from the first hour to before the second. A later one is sent on the next. ' +
          'Absent where the bank makes no TED.',
      }),
    settlementErrorResends: z
      .strictObject({ until: Hour })
      .meta({ description: 'Until when, on its settlement date, a scheduled payment is sent again.' }),
    scheduledPaymentCancellations: z
      .strictObject({ until: Hour })
      .meta({ description: 'Until when, on the day before its settlement date, a scheduled payment can be canceled.' }),
  })
  .meta({ description: 'Hours in Brasilia within which things happen or are taken.' });

export const AccountCapabilities = z
  .strictObject({
    paymentMethods: z
      .array(z.enum(paymentMethods))
      .readonly()
      .meta({ description: '`paymentMethod` of payouts.', examples: [['PIX', 'TED']] }),
    accountTypes: z
      .array(z.enum(bankAccountTypes))
      .readonly()
      .meta({ description: '`accountType` to which a payout by PIX to a `bankAccount` may go.' }),
    keyTypes: z
      .array(z.enum(confirmableKeyTypes))
      .readonly()
      .meta({ description: 'Types of PIX keys that the bank registers for the account; none: creation is 409.' }),
    keyLookup: z.enum(['FULL', 'NONE']).meta({
      description:
        '`FULL`: the owner of a key is known before a payout is created. `NONE`: `receiver` is required, and an owner who ' +
        'does not match is found at payment: the payout becomes `ERROR`.',
    }),
    cancellation: z.boolean().meta({ description: 'Whether the bank can cancel a payout that it has taken.' }),
    settlementErrorResends: z.enum(['SERVICE', 'BANK']).meta({
      description: 'Who sends a scheduled payment again after a settlement error. You are notified in the same way.',
    }),
    disputes: z.boolean().meta({ description: 'Whether the bank reports claims of payers (MED) and takes defences.' }),
    limits: Limits,
    hours: Hours,
  })
  .meta({ description: 'What can be asked for with an account.' });

export const GetCapabilities = contract({
  operationId: 'getCapabilities',
  method: 'GET',
  path: '/order/v1/banking/accounts/{accountId}/capabilities',
  tag: 'Accounts',
  summary: 'Get what the bank of an account can do',
  description:
    'What the bank of the account can do, and the limits and hours that hold for it. What it cannot do is refused with 409 `INVALID_VALUE` on the field that asks for it, before anything is written. In the sandbox the simulated bank can do everything, unless `PUT /order-tools/v1/bank-profile` makes it as narrow as a real one.',
  params: { accountId: Uuid.meta({ description: 'The account.' }) },
  responses: { 200: AccountCapabilities },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetCapabilities> => ({
  request: { params: { accountId: exampleIds.accountId } },
  response: {
    status: 200,
    body: {
      paymentMethods: ['PIX', 'TED'],
      accountTypes: [...bankAccountTypes],
      keyTypes: [...confirmableKeyTypes],
      keyLookup: 'FULL',
      cancellation: true,
      settlementErrorResends: 'SERVICE',
      disputes: true,
      limits: { pixPayment: '15000.00', pixPayout: '1350000.00' },
      hours: {
        ted: tedHours,
        settlementErrorResends: { until: executionEnds },
        scheduledPaymentCancellations: { until: withdrawalEnds },
      },
    },
  },
});
