import * as z from 'zod';
import { bankAccountTypes } from '../domain/account.ts';
import type { PayoutTarget, TargetFault } from '../domain/payout-target.ts';
import { accountTarget, keyTarget, qrCodeTarget } from '../domain/payout-target.ts';
import { betweenFields } from './between-fields.ts';
import { fault } from './text.ts';

/** What makes a text no target, at its path within the field that is checked. */
function report(context: z.core.$RefinementCtx, found: PayoutTarget | TargetFault): void {
  if (!('faults' in found)) return;
  for (const { field, issue, description } of found.faults)
    context.addIssue({ ...fault(issue, description), path: field.split('.').slice(1) });
}

const PixKeyInput = z
  .string()
  .min(1)
  .max(77)
  .superRefine((text, context) => {
    report(context, keyTarget(text));
  })
  .meta({
    description: 'CPF or CNPJ without mask, e-mail, phone as +5511999999999, or random key.',
    examples: ['maria@example.com', '+5511999999999'],
  });

const QrCodeInput = z
  .string()
  .min(1)
  .max(600)
  .superRefine((text, context) => {
    report(context, qrCodeTarget(text));
  })
  .meta({ description: 'The text of a static or dynamic BR Code.' });

const BankAccountInput = z
  .strictObject({
    ispb: z
      .string()
      .regex(/^[0-9A-Z]{8}$/u, 'Must be the 8 characters of an ISPB.')
      .optional(),
    bankNumber: z
      .string()
      .regex(/^[0-9]{1,3}$/u, 'Must be a COMPE number of at most 3 digits.')
      .optional(),
    accountType: z.enum(bankAccountTypes),
    branchNumber: z.string().regex(/^[0-9]{1,4}(-?[0-9Xx])?$/u, 'Must be 1 to 4 digits, with or without check digit.'),
    accountNumber: z
      .string()
      .max(20)
      .regex(/^[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?$/u, 'Must be an account number, check digit included.'),
  })
  .superRefine((fields, context) => {
    report(context, accountTarget(fields));
  });

const names = ['pixKey', 'qrcodeData', 'bankAccount'] as const;

/** Whom to pay: exactly one of a key, a QR code and an account (2.7). */
export const PaymentDataInput = z
  .strictObject({
    pixKey: PixKeyInput.optional(),
    qrcodeData: QrCodeInput.optional(),
    bankAccount: BankAccountInput.optional(),
  })
  .check(
    betweenFields((fields, add) => {
      const given = names.filter((name) => fields[name] !== undefined);
      if (given.length === 0) add('', 'REQUIRED', `Give one of ${names.join(', ')}.`);
      if (given.length > 1)
        for (const name of given) add(name, 'MUTUALLY_EXCLUSIVE', `Give only one of ${names.join(', ')}.`);
    }),
  )
  .meta({ openapi: { minProperties: 1, maxProperties: 1 } });
export type PaymentData = z.output<typeof PaymentDataInput>;

/** The target of payment data that were accepted. */
export function targetOf({ pixKey, qrcodeData, bankAccount }: PaymentData): PayoutTarget {
  const found =
    pixKey !== undefined
      ? keyTarget(pixKey)
      : qrcodeData !== undefined
        ? qrCodeTarget(qrcodeData)
        : bankAccount && accountTarget(bankAccount);
  if (found === undefined || 'faults' in found) throw new Error('Payment data were accepted without a target.');
  return found;
}
