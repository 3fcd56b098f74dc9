import * as z from 'zod';
import { Amount } from './amount.ts';
import { Party } from './party.ts';
import {
  AccountNumber,
  BankNumber,
  BranchNumber,
  EndToEndId,
  Ispb,
  ShownDescription,
  ShownExternalId,
  ShownName,
} from './references.ts';
import { Id, Timestamp } from './text.ts';
import { pixKeyTypes } from '../core/pix-key.ts';

/* Common schemas of notification bodies (section 6). */

/** All fields of a schema's object. An absent optional field must be set to `undefined`, so that none is forgotten. */
type EveryField<T> = { readonly [Field in keyof Required<T>]: T[Field] };

/** Returns the JSON of a notification. The type requires every field of the schema and allows no other. */
export function notificationJson<Schema extends z.ZodType = never>(body: EveryField<z.output<Schema>>): string {
  return JSON.stringify(body);
}

export const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });
export const optionalText = (description: string, example: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: [example] });

export const UsedPixKey = z
  .strictObject({
    type: z.enum(pixKeyTypes).meta({ description: 'Kind of key; `RANDOM`: a UUID (EVP).' }),
    key: text('The key as the DICT spells it.', 'maria@example.com'),
  })
  .meta({ description: 'The PIX key that was used.' });
export const BankDetails = z
  .strictObject({
    ispb: Ispb.optional(),
    name: optionalText('Name of the bank.', 'Itaú Unibanco S.A.'),
    branch: BranchNumber.optional(),
    account: AccountNumber.optional(),
    accountType: optionalText('Kind of account.', 'CHECKING_ACCOUNT'),
    code: BankNumber.optional(),
    pix: UsedPixKey.optional(),
  })
  .meta({ description: 'The account at its bank, as far as it is known.' });
export const Counterpart = Party.extend({ bank: BankDetails.optional(), pix: UsedPixKey.optional() }).meta({
  description: 'The other side of a payment.',
});
export const OwnerBank = z
  .strictObject({
    name: ShownName.optional(),
    document: optionalText('CPF or CNPJ without mask.', '11222333000181'),
    bank: BankDetails.optional(),
    pix: UsedPixKey.optional(),
  })
  .meta({ description: 'Your account: where the money arrives, or from where it leaves.' });
export const SettledCharge = z
  .strictObject({ id: Id.meta({ description: 'The scheduled payment.' }), externalId: ShownExternalId })
  .meta({ description: 'The charge that was settled; absent for the first charge of journey 3.' });
export const OrderOrigin = z
  .strictObject({
    id: Id.meta({ description: 'The subscription.' }),
    code: text('The `externalId` of the subscription.', 'contract-77'),
    scheduledPayment: SettledCharge.optional(),
  })
  .meta({ description: 'The subscription from which the order came.' });

export const updatedAt = Timestamp.meta({
  description: 'When the status changed. Notifications may arrive out of order: go by this.',
});
const endToEndId = EndToEndId.nullable();

export const occurredAt = Timestamp.meta({
  description: 'When it happened. Notifications may arrive out of order: go by this.',
});
export const eventMeaning = { description: 'What happened.' };
export const typeMeaning = { description: 'What kind of order it is about.' };

/** Fields of an order that 6.2 and 6.4 share. */
export const order = {
  id: Id.meta({ description: 'The order.' }),
  code: text('The `externalId` of the order.', 'invoice-2026-0042'),
  paidAt: Timestamp.nullable().meta({ description: '`null` if it was not paid.' }),
  updatedAt,
  endToEndId,
  controlNumber: z
    .string()
    .nullable()
    .meta({ description: 'TED: `NumCtrlSTR`; `null` for PIX.', examples: [null] }),
  message: text('What happened, for your log.', 'The pay-in was paid.'),
  description: ShownDescription.optional(),
  amount: Amount,
  ownerBank: OwnerBank.optional(),
};
