import * as z from 'zod';
import { brCodeText } from '../core/br-code/parse.ts';
import { recognisePixKey } from '../core/pix-key.ts';
import { bankAccountTypes } from '#shared/accounts/model.ts';
import type { PaymentData as PaymentDataFields, PayoutTarget, InvalidTarget } from './target.ts';
import { accountTarget, keyTarget, qrCodeTarget } from './target.ts';
import { betweenFields, having } from '../contract/contract.ts';
import { customIssue } from '../contract/text.ts';

/** Reports why a text is no target, at its path within the field that is checked. */
function report(context: z.core.$RefinementCtx, found: PayoutTarget | InvalidTarget): void {
  if (!('details' in found)) return;
  for (const { field, issue, description } of found.details)
    context.addIssue({ ...customIssue(issue, description), path: field.split('.').slice(1) });
}

/** A CNPJ has one spelling: requests that write it in small and in capital letters are the same request. */
function keyText(text: string): string {
  const key = recognisePixKey(text);
  return key?.type === 'CNPJ' ? key.key : text;
}

const PixKeyInput = z
  .string()
  .min(1)
  .max(77)
  .overwrite(keyText)
  .superRefine((text, context) => {
    report(context, keyTarget(text));
  })
  .meta({
    description: 'The receiver’s PIX key: CPF or CNPJ without mask, e-mail, phone as +5511999999999, or random key.',
    examples: ['maria@example.com', '+5511999999999'],
  });

const QrCodeInput = z
  .string()
  .min(1)
  .max(600)
  .overwrite(brCodeText)
  .superRefine((text, context) => {
    report(context, qrCodeTarget(text));
  })
  .meta({
    description: 'The text of a static or dynamic BR Code; which of the two it is shows by itself.',
    examples: [
      '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
    ],
  });

export const BankAccountInput = z
  .strictObject({
    ispb: z
      .string()
      .regex(/^[0-9A-Z]{8}$/u, 'Must be the 8 characters of an ISPB.')
      .exactOptional()
      .meta({
        description: 'The bank by its number in the payment system. Give this, or `bankNumber`, or both if they agree.',
        examples: ['60701190'],
      }),
    bankNumber: z
      .string()
      .regex(/^[0-9]{1,3}$/u, 'Must be a COMPE number of at most 3 digits.')
      .exactOptional()
      .meta({ description: 'The bank by its COMPE number.', examples: ['341'] }),
    accountType: z.enum(bankAccountTypes).meta({ description: 'What kind of account it is at the receiver’s bank.' }),
    branchNumber: z
      .string()
      .regex(/^[0-9]{1,4}(-?[0-9Xx])?$/u, 'Must be 1 to 4 digits, with or without check digit.')
      .meta({ description: 'Branch (agência).', examples: ['0001'] }),
    accountNumber: z
      .string()
      .max(20)
      .regex(/^[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?$/u, 'Must be an account number, check digit included.')
      .meta({ description: 'Account, check digit included.', examples: ['123456-7'] }),
  })
  .superRefine((fields, context) => {
    report(context, accountTarget(fields));
  })
  .meta({
    description: 'The receiver’s account. A TED is paid to one always; then, and here, `receiver` is required.',
    openapi: { if: { not: having('ispb') }, then: having('bankNumber') },
  });

const names = ['pixKey', 'qrcodeData', 'bankAccount'] as const;

const bankAccountMeaning = { description: 'An account at a bank.' };
export const PixKeyTargetInput = z.strictObject({ pixKey: PixKeyInput }).meta({ description: 'A PIX key.' });
export const QrCodeTargetInput = z.strictObject({ qrcodeData: QrCodeInput }).meta({ description: 'A BR Code.' });
export const BankAccountTargetInput = z.strictObject({ bankAccount: BankAccountInput }).meta(bankAccountMeaning);

export const PixKeyTarget = z.strictObject(PixKeyTargetInput.shape).meta({ description: 'A PIX key.' });
export const QrCodeTarget = z.strictObject(QrCodeTargetInput.shape).meta({ description: 'A BR Code.' });
export const TargetAccount = z.strictObject(BankAccountInput.shape).meta({ description: 'The receiver’s account.' });
export const BankAccountTarget = z.strictObject({ bankAccount: TargetAccount }).meta(bankAccountMeaning);

/** The schema in the OpenAPI document: one of three objects, instead of one object with three optional fields. */
const oneTarget = (...schemas: readonly string[]) => ({
  type: undefined,
  properties: undefined,
  additionalProperties: undefined,
  oneOf: schemas.map((name) => ({ $ref: `#/components/schemas/${name}` })),
});

/** The receiver of a payment: exactly one of a key, a QR code and an account (2.7). */
export const PaymentDataInput = z
  .strictObject({
    pixKey: PixKeyInput.exactOptional(),
    qrcodeData: QrCodeInput.exactOptional(),
    bankAccount: BankAccountInput.exactOptional(),
  })
  .check(
    betweenFields((fields, add) => {
      const given = names.filter((name) => fields[name] !== undefined);
      if (given.length === 0) add('', 'REQUIRED', `Give one of ${names.join(', ')}.`);
      if (given.length > 1)
        for (const name of given) add(name, 'MUTUALLY_EXCLUSIVE', `Give only one of ${names.join(', ')}.`);
    }),
  )
  .meta({
    description: 'Whom to pay: exactly one of the three.',
    openapi: oneTarget('PixKeyTargetInput', 'QrCodeTargetInput', 'BankAccountTargetInput'),
  });

export const PaymentData = z.strictObject(PaymentDataInput.shape).meta({
  description:
    'Where you asked the money to go: the one of the three that you sent; a CNPJ in capitals, a QR code without blanks around it and line breaks.',
  openapi: oneTarget('PixKeyTarget', 'QrCodeTarget', 'BankAccountTarget'),
});

export function targetOf({ pixKey, qrcodeData, bankAccount }: PaymentDataFields): PayoutTarget {
  const found =
    pixKey !== undefined
      ? keyTarget(pixKey)
      : qrcodeData !== undefined
        ? qrCodeTarget(qrcodeData)
        : bankAccount && accountTarget(bankAccount);
  if (found === undefined || 'details' in found) throw new Error('The accepted payment data have no target.');
  return found;
}
