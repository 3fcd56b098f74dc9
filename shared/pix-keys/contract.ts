import * as z from 'zod';
import { confirmableKeyTypes, keyRefusals, keyValidationStatuses, registrableKeyTypes } from './model.ts';
import { mayGetCode, recognisePixKey } from '../core/pix-key.ts';
import type { RuleContext, AddDetail, LooseFields } from '../contract/contract.ts';
import { betweenFields, having } from '../contract/contract.ts';
import { ClientOf } from '../contract/references.ts';
import { Id, Timestamp, Uuid } from '../contract/text.ts';

/** Spells a key as the DICT does (BCB, DICT API), if the text has the form of a key. */
const PixKeyText = z
  .string()
  .min(1)
  .max(77)
  .transform((text) => recognisePixKey(text)?.key ?? text)
  .meta({
    description: 'An e-mail address, or a phone with `+`, country and area code and no other marks.',
    openapi: { examples: ['maria@example.com', '+5511999999999'] },
  });

const KeyType = z.enum(registrableKeyTypes).meta({
  description:
    'Kinds of key. An `EMAIL` or `PHONE` is confirmed by a code; a `CNPJ` is the holder’s own; a `RANDOM` one (EVP) is made up ' +
    'by the bank.',
});
const ShownKey = z.string().meta({
  description: 'The key as the DICT spells it: an e-mail in lower case, a phone with `+` and country code.',
  examples: ['maria@example.com'],
});
const ValidationId = Id.meta({
  description: 'The validation: name it when you confirm the key, ask for another code, or remove the key.',
});

/** A key to create: an e-mail, brought to lower case, a phone in E.164, the holder's CNPJ, or a random key. */
export const NewKeyInput = z
  .strictObject({ type: KeyType, key: PixKeyText.optional() })
  .check(betweenFields(keyOfType))
  .meta({
    description: 'A key for an account. `EMAIL` and `PHONE` need `key`; for a `CNPJ` it is that of the holder.',
    openapi: {
      if: { properties: { type: { enum: confirmableKeyTypes } } },
      then: having('key'),
      else: { if: { properties: { type: { const: 'RANDOM' } } }, then: { not: having('key') } },
    },
  });

const formsOfKeys = {
  EMAIL: 'Must be an e-mail address.',
  PHONE: 'Must be a phone as +5511999999999.',
  CNPJ: 'Must be a CNPJ, as 14 digits or letters.',
} as const;

function keyOfType({ type, key }: LooseFields, add: AddDetail): void {
  if (type === 'RANDOM' && key !== undefined)
    add('key', 'INVALID_VALUE', 'The bank makes up a random key: leave the field out.');
  if (type !== 'EMAIL' && type !== 'PHONE' && type !== 'CNPJ') return;
  if (key === undefined && type !== 'CNPJ') add('key', 'REQUIRED', 'Is required for a key of this type.');
  if (typeof key !== 'string' || recognisePixKey(key)?.type === type) return;
  add('key', 'INVALID_FORMAT', formsOfKeys[type]);
}

/** Reports a phone to which this environment sends no code. */
export function phoneOfEnvironment({ type, key }: LooseFields, { phonesAbroad }: RuleContext, add: AddDetail): void {
  if (type !== 'PHONE' || typeof key !== 'string' || mayGetCode(key, phonesAbroad)) return;
  add('key', 'INVALID_FORMAT', 'Must be a phone of Brazil as +5511999999999: country, area code and number.');
}

export const RegisteredKey = z
  .strictObject({ type: KeyType, key: ShownKey })
  .meta({ description: 'A key as its bank has registered it.' });

export const KeyCreation = z
  .strictObject({
    validationId: ValidationId,
    status: z.enum(['PENDING', 'REGISTERING', 'CONFIRMED']).meta({
      description:
        '`PENDING`: a code is on its way to the holder. `REGISTERING`: the bank is asked to register the key. `CONFIRMED`: it has.',
    }),
    expiresAt: Timestamp.meta({
      description:
        'When the confirmation code expires; of a key without a code, until when the bank is asked to register it.',
    }),
    key: RegisteredKey.optional().meta({ description: 'Only with `CONFIRMED`.' }),
  })
  .meta({ description: 'A new key of an account.' });

export const KeyValidationResponse = z
  .strictObject({
    validationId: ValidationId,
    status: z.literal('PENDING').meta({ description: 'The holder has not given the code back yet.' }),
    expiresAt: Timestamp.meta({ description: 'When the confirmation code expires.' }),
  })
  .meta({ description: 'A code is on its way to the holder of the key.' });

const Refusal = z.enum(keyRefusals).meta({
  description:
    'Only with `REFUSED`. `OWNED_ELSEWHERE`: an account at another bank has the key. `LIMIT_EXCEEDED`: the bank registers no ' +
    'more keys for the account. `NOT_IN_TIME`: the bank did not take the registration in time; create the key again. ' +
    '`REFUSED`: for another reason.',
});

export const KeyConfirmation = z
  .strictObject({
    validationId: ValidationId,
    status: z.enum(['REGISTERING', 'CONFIRMED', 'REFUSED']).meta({
      description:
        '`CONFIRMED`: the bank has registered the key, which leads to the account. `REGISTERING`: the bank is asked; the list ' +
        'of keys shows its answer. `REFUSED`: the bank does not register it, by `reason`.',
    }),
    key: RegisteredKey,
    reason: Refusal.optional(),
  })
  .meta({ description: 'A key whose code was right.' });

export const KeyValidationRecord = z
  .strictObject({
    validationId: ValidationId,
    type: KeyType,
    key: ShownKey.optional().meta({ description: 'Absent while the bank has not made up a random key.' }),
    status: z.enum(keyValidationStatuses).meta({
      description:
        '`PENDING`: waits for its code. `REGISTERING`: the bank is asked to register it. `CONFIRMED`: the key leads to the ' +
        'account. `REFUSED`: the bank does not register it, by `reason`. `EXPIRED`, `BLOCKED` (too many wrong codes): create ' +
        'the key again. `REMOVED`: it leads nowhere.',
    }),
    createdAt: Timestamp,
    createdBy: ClientOf.optional(),
    removedBy: ClientOf.optional(),
    expiresAt: Timestamp.meta({
      description: 'When the last code expired or will expire; of a key without a code, until when the bank is asked.',
    }),
    confirmedAt: Timestamp.optional().meta({ description: 'When the bank had registered the key.' }),
    reason: Refusal.optional(),
  })
  .meta({ description: 'A key and its validation; never a code.' });

export const NamedValidation = Uuid.meta({ description: 'The `validationId` that the creation of the key answered.' });

export const ConfirmationCode = z
  .string()
  .regex(/^\d{6}$/u, 'Must be six digits.')
  .meta({ description: 'The six digits that the holder received.', examples: ['123456'] });
