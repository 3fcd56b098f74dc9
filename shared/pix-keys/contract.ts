import * as z from 'zod';
import { confirmableKeyTypes, keyValidationStatuses } from './model.ts';
import { mayGetCode, recognisePixKey } from '../core/pix-key.ts';
import type { RuleContext, AddDetail, LooseFields } from '../contract/contract.ts';
import { betweenFields } from '../contract/contract.ts';
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

const KeyType = z.enum(confirmableKeyTypes).meta({ description: 'Kinds of key that are confirmed by a code.' });
const ShownKey = z.string().meta({
  description: 'The key as the DICT spells it: an e-mail in lower case, a phone with `+` and country code.',
  examples: ['maria@example.com'],
});
const ValidationId = Id.meta({
  description: 'The validation: name it when you confirm the key or ask for another code.',
});

/** A key that is confirmed by a code: an e-mail, brought to lower case, or a phone in E.164. */
export const ConfirmableKeyInput = z
  .strictObject({ type: KeyType, key: PixKeyText })
  .check(betweenFields(keyOfType))
  .meta({ description: 'A key that its holder confirms by a code.' });

function keyOfType({ type, key }: LooseFields, add: AddDetail): void {
  if (typeof key !== 'string' || (type !== 'EMAIL' && type !== 'PHONE')) return;
  if (recognisePixKey(key)?.type === type) return;
  add('key', 'INVALID_FORMAT', type === 'EMAIL' ? 'Must be an e-mail address.' : 'Must be a phone as +5511999999999.');
}

/** Reports a phone to which this environment sends no code. */
export function phoneOfEnvironment({ type, key }: LooseFields, { phonesAbroad }: RuleContext, add: AddDetail): void {
  if (type !== 'PHONE' || typeof key !== 'string' || mayGetCode(key, phonesAbroad)) return;
  add('key', 'INVALID_FORMAT', 'Must be a phone of Brazil as +5511999999999: country, area code and number.');
}

export const KeyValidationResponse = z
  .strictObject({
    validationId: ValidationId,
    status: z.literal('PENDING').meta({ description: 'The holder has not given the code back yet.' }),
    expiresAt: Timestamp.meta({ description: 'When the confirmation code expires.' }),
  })
  .meta({ description: 'A code is on its way to the holder of the key.' });

export const ConfirmedKey = z
  .strictObject({ type: KeyType, key: ShownKey })
  .meta({ description: 'The key that was confirmed.' });

export const KeyConfirmation = z
  .strictObject({
    validationId: ValidationId,
    status: z.literal('CONFIRMED').meta({ description: 'The key leads to the account.' }),
    key: ConfirmedKey,
  })
  .meta({ description: 'A key that its holder confirmed.' });

export const KeyValidationRecord = z
  .strictObject({
    validationId: ValidationId,
    type: KeyType,
    key: ShownKey,
    status: z.enum(keyValidationStatuses).meta({
      description:
        '`CONFIRMED`: the key leads to the account. `PENDING`: waits for its code. `EXPIRED`, `BLOCKED` (too many wrong codes): ' +
        'create the key again.',
    }),
    createdAt: Timestamp,
    expiresAt: Timestamp.meta({ description: 'When the last code expired or will expire.' }),
    confirmedAt: Timestamp.optional().meta({ description: 'When the right code came.' }),
  })
  .meta({ description: 'A key and its validation; never a code.' });

export const NamedValidation = Uuid.meta({ description: 'The `validationId` that the creation of the key answered.' });

export const ConfirmationCode = z
  .string()
  .regex(/^\d{6}$/u, 'Must be six digits.')
  .meta({ description: 'The six digits that the holder received.', examples: ['123456'] });
