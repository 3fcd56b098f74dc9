import * as z from 'zod';
import { bankAccountTypes } from '#shared/accounts/model.ts';
import { Decimal } from '#shared/contract/amount.ts';
import { paymentMethods } from '#shared/payouts/model.ts';
import { registrableKeyTypes } from '#shared/pix-keys/model.ts';

const Hour = z.string().meta({ description: 'Hour and minute in Brasilia.', examples: ['17:00'] });

export const AccountLimits = z
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

export const HoursOfDay = z
  .strictObject({ from: Hour, until: Hour })
  .meta({ description: 'Hours of a day, from the first to before the second.' });

export const HourOfDay = z
  .strictObject({ until: Hour })
  .meta({ description: 'The hour before which it is done or taken.' });

export const AccountHours = z
  .strictObject({
    ted: HoursOfDay.optional(),
    settlementErrorResends: HourOfDay,
    scheduledPaymentCancellations: HourOfDay,
  })
  .meta({
    description:
      'Hours in Brasilia. `ted`: when a TED is sent, on a banking day; absent where the bank makes none. ' +
      '`settlementErrorResends`: until when, on its settlement date, a scheduled payment is sent again. ' +
      '`scheduledPaymentCancellations`: until when, on the day before that date, it can be canceled.',
  });

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
      .array(z.enum(registrableKeyTypes))
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
    disputes: z.boolean().meta({
      description:
        'Whether the bank reports claims of payers (MED) by its API and takes defences there. Otherwise an operator enters ' +
        'a claim, and you defend it in the app of the bank.',
    }),
    limits: AccountLimits,
    hours: AccountHours,
  })
  .meta({ description: 'What can be asked for with an account.' });
