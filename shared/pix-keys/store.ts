import * as z from 'zod';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import type { AddressTally, KeyTally } from './quota.ts';
import type { CodeName, ConfirmableKey, KeyCode, KeyValidation } from './model.ts';
import type { Confirmation } from './states.ts';
import { confirmableKeyTypes, storedValidationStatuses } from './model.ts';
import { dueIdOfCode } from './codes/code-keys.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { dueAttributesAt, keys, notDue } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update, Write } from '../platform/table/store.ts';

const KeyValidationItem = z.object({
  id: z.string(),
  companyId: z.string(),
  accountId: z.string(),
  type: z.enum(confirmableKeyTypes),
  key: z.string(),
  status: z.enum(storedValidationStatuses),
  codeNumber: z.int(),
  codeHash: z.string().exactOptional(),
  wrongTries: z.int(),
  validUntil: z.string(),
  createdAt: z.string(),
  confirmedAt: z.string().exactOptional(),
  version: z.int(),
} satisfies Record<keyof KeyValidation, z.ZodType>);

const KeyCodeItem = z.object({
  validationId: z.string(),
  accountId: z.string(),
  number: z.int(),
  validUntil: z.string(),
  createdAt: z.string(),
  sentAt: z.string().exactOptional(),
  refusedAt: z.string().exactOptional(),
  droppedAt: z.string().exactOptional(),
} satisfies Record<keyof KeyCode, z.ZodType>);

const KeyTallyItem = z.object({
  accountId: z.string(),
  keys: z.int(),
  day: z.string(),
  codes: z.int(),
  version: z.int(),
} satisfies Record<keyof KeyTally, z.ZodType>);

/** @throws CorruptItem */
export function parseKeyValidation(item: Item): KeyValidation {
  return parseItem(KeyValidationItem, item, 'key validation');
}

/** @throws CorruptItem */
export function parseKeyCode(item: Item): KeyCode {
  return parseItem(KeyCodeItem, item, 'confirmation code');
}

/** @throws CorruptItem */
export function parseKeyTally(item: Item): KeyTally {
  return parseItem(KeyTallyItem, item, 'tally of keys');
}

/** A new validation, and its place in the account's list, which nothing moves. */
export function keyValidationInserts(validation: KeyValidation): readonly Put[] {
  const { companyId, accountId, id: validationId, createdAt } = validation;
  const entry = keys.keyEntry(companyId, accountId, createdAt, validationId);
  return [
    { put: keyValidationItem(validation), when: { is: 'absent' } },
    { put: { ...entry, entity: 'KEY_ENTRY' }, when: { is: 'absent' } },
  ];
}

/** A validation that was decided on, if it still is as it was read. */
export function keyValidationUpdate(validation: KeyValidation): Put {
  return { put: keyValidationItem(validation), when: { equals: { version: validation.version - 1 } } };
}

/**
 * A code that must be sent: once inserted, the stream has it sent at once.
 * @param dueAt by the machine's clock: from then on it is looked for, if it has not been sent yet
 */
export function keyCodeInsert(companyId: string, code: KeyCode, dueAt: Instant): Put {
  const { accountId, validationId, number } = code;
  return {
    put: {
      ...keys.keyCode(companyId, accountId, validationId, number),
      ...dueAttributesAt(companyId, 'KEY_CODE', dueAt, dueIdOfCode(code)),
      ...code,
      entity: 'KEY_CODE',
    },
    when: { is: 'absent' },
  };
}

/** What became of a code: nothing is owed any more. */
export function keyCodeUpdate(
  companyId: string,
  { accountId, validationId, number }: CodeName,
  end: Partial<Pick<KeyCode, 'sentAt' | 'refusedAt' | 'droppedAt'>>,
): Update {
  return {
    update: keys.keyCode(companyId, accountId, validationId, number),
    set: { ...end },
    remove: notDue,
    when: { is: 'present' },
  };
}

/** From now on this code is the right one, if it still is the present one: a later one makes the write fail. */
export function codeHashUpdate(companyId: string, { accountId, validationId, number }: CodeName, hash: string): Update {
  return {
    update: keys.keyValidation(companyId, accountId, validationId),
    set: { codeHash: hash },
    add: { version: 1 },
    when: { equals: { codeNumber: number, status: 'PENDING' } },
  };
}

/** The counts of an account, if they still are as they were read; the first ones if there were none. */
export function keyTallyWrite(companyId: string, tally: KeyTally): Put {
  const { accountId, version } = tally;
  return {
    put: { ...keys.keyTally(companyId, accountId), ...tally, entity: 'KEY_TALLY' },
    when: version === 1 ? { is: 'absent' } : { equals: { version: version - 1 } },
  };
}

/** How long the count of a day is kept: longer than any day of Brasilia that has begun, seconds. */
const addressTallyLifeSeconds = 2 * 86_400;
const AddressTallyItem = z.object({ codes: z.int() });

/** What an address was promised on a day; nothing is stored of a day without codes. @throws CorruptItem */
export function parseAddressTally(item: Item | undefined, day: LocalDate): AddressTally {
  return { day, codes: item === undefined ? 0 : parseItem(AddressTallyItem, item, 'tally of an address').codes };
}

/** The count of an address, if it still is as it was read. */
export function addressTallyWrite(key: Key, { codes }: AddressTally, realAt: Instant): Put {
  const expiresAt = epochSeconds(plusSeconds(realAt, addressTallyLifeSeconds));
  return {
    put: { ...key, entity: 'ADDRESS_TALLY', codes, expiresAt },
    when: codes === 1 ? { is: 'absent' } : { equals: { codes: codes - 1 } },
  };
}

/** What a code did. The right one gives its key to the account, once in the whole service. */
export function confirmationWrites(hash: Hash, companyId: string, made: Confirmation): readonly Write[] {
  const validation = keyValidationUpdate(made.validation);
  if (made.outcome === 'WRONG') return [validation];
  return [validation, keyTallyWrite(companyId, made.tally), ...confirmedKeyInserts(hash, made.validation)];
}

function confirmedKeyInserts(hash: Hash, validation: KeyValidation): readonly Put[] {
  const { accountId, id: validationId } = validation;
  const [leads, name] = confirmedKeys(hash, validation);
  return [
    { put: { ...leads, entity: 'ACCOUNT_KEY', accountId, validationId }, when: { is: 'absent' } },
    { put: { ...name, entity: 'PIX_KEY', validationId }, when: { is: 'absent' } },
  ];
}

/** The company's way from a confirmed key to its account, and the key's name, which the service knows once. */
export function confirmedKeys(
  hash: Hash,
  { companyId, type, key }: ConfirmableKey & { readonly companyId: string },
): readonly [leads: Key, name: Key] {
  return [keys.confirmedKey(companyId, hash(companyId, type, key)), keys.pixKey(hash('PIX_KEY', type, key))];
}

/** Whether the key has an account, this company's or another's; one read. */
export async function isKeyTaken(store: Store, hash: Hash, validation: KeyValidation): Promise<boolean> {
  const [, name] = confirmedKeys(hash, validation);
  const [item] = await store.read([name]);
  return item !== undefined;
}

function keyValidationItem(validation: KeyValidation): Item {
  const { companyId, accountId, id } = validation;
  return { ...keys.keyValidation(companyId, accountId, id), entity: 'KEY_VALIDATION', ...validation };
}
