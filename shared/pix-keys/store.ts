import * as z from 'zod';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import type { AddressQuota, KeyQuota } from './quota.ts';
import type { CodeName, ConfirmableKey, KeyCode, KeyValidation } from './model.ts';
import type { Confirmation } from './states.ts';
import { confirmableKeyTypes, storedValidationStatuses } from './model.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { dueAttributesAt, keys, notDue } from '../platform/table/keys.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, listPage } from '../platform/table/listing.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

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

const KeyQuotaItem = z.object({
  accountId: z.string(),
  keys: z.int(),
  day: z.string(),
  codes: z.int(),
  version: z.int(),
} satisfies Record<keyof KeyQuota, z.ZodType>);

export function parseKeyValidation(item: Item): KeyValidation {
  return parseItem(KeyValidationItem, item, 'key validation');
}

export function parseKeyCode(item: Item): KeyCode {
  return parseItem(KeyCodeItem, item, 'confirmation code');
}

export function parseKeyQuota(item: Item): KeyQuota {
  return parseItem(KeyQuotaItem, item, 'key quota');
}

/**
 * One page of an account's validations: a strongly consistent partition. @throws RequestError on another list's cursor
 */
export async function listKeyValidations(
  store: Store,
  companyId: string,
  accountId: string,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<KeyValidation>> {
  const { PK: partition } = keys.keyEntry(companyId, accountId, '', '');
  const { entries, ...rest } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'KEY_VALIDATION', filters: { accountId, sort: ascending ? 'asc' : 'desc' } },
    source: entriesOf(store, { partition, prefix: '', ascending }),
  });
  const items = await store.read(entries.map(({ id }) => keys.keyValidation(companyId, accountId, id)));
  const found = items.map((item) => {
    if (item === undefined) throw new CorruptItem('Cannot find a listed key validation.');
    return parseKeyValidation(item);
  });
  return { ...rest, found };
}

/** A new validation, and its place in the account's list, which never changes. */
export function keyValidationInserts(validation: KeyValidation): readonly Put[] {
  const { companyId, accountId, id: validationId, createdAt } = validation;
  const entry = keys.keyEntry(companyId, accountId, createdAt, validationId);
  return [
    { put: keyValidationItem(validation), when: { is: 'absent' } },
    { put: { ...entry, entity: 'KEY_ENTRY' }, when: { is: 'absent' } },
  ];
}

/** Writes a validation after a decision, on condition that it is still as it was read. */
export function keyValidationUpdate(validation: KeyValidation): Put {
  return { put: keyValidationItem(validation), when: { equals: { version: validation.version - 1 } } };
}

/** A code to send: the stream sends it immediately. @param dueAt by the machine's clock, when a worker looks for it */
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

/** Makes a code valid, on condition that it is the current one of a pending validation. */
export function codeHashUpdate(companyId: string, { accountId, validationId, number }: CodeName, hash: string): Update {
  return {
    update: keys.keyValidation(companyId, accountId, validationId),
    set: { codeHash: hash },
    add: { version: 1 },
    when: { equals: { codeNumber: number, status: 'PENDING' } },
  };
}

function dueIdOfCode({ accountId, validationId, number }: CodeName): string {
  return [accountId, validationId, number].join('#');
}

export function codeOfDueId(id: string): CodeName {
  const [accountId = '', validationId = '', number] = id.split('#');
  return { accountId, validationId, number: Number(number) };
}

/**
 * Writes the counts of an account, on condition that they are still as they were read, or absent for the first count.
 */
export function keyQuotaWrite(companyId: string, quota: KeyQuota): Put {
  const { accountId, version } = quota;
  return {
    put: { ...keys.keyQuota(companyId, accountId), ...quota, entity: 'KEY_QUOTA' },
    when: version === 1 ? { is: 'absent' } : { equals: { version: version - 1 } },
  };
}

/** Seconds for which the count of a day is kept: longer than the day. */
const addressQuotaLifeSeconds = 2 * 86_400;
const AddressQuotaItem = z.object({ codes: z.int() });

/** The codes of an address on a day; nothing is stored of a day without codes. @throws CorruptItem */
export function parseAddressQuota(item: Item | undefined, day: LocalDate): AddressQuota {
  return { day, codes: item === undefined ? 0 : parseItem(AddressQuotaItem, item, 'address quota').codes };
}

/** Writes the count of an address, on condition that it is still as it was read. */
export function addressQuotaWrite(key: Key, { codes }: AddressQuota, realAt: Instant): Put {
  const expiresAt = epochSeconds(plusSeconds(realAt, addressQuotaLifeSeconds));
  return {
    put: { ...key, entity: 'ADDRESS_QUOTA', codes, expiresAt },
    when: codes === 1 ? { is: 'absent' } : { equals: { codes: codes - 1 } },
  };
}

/**
 * The writes of a confirmation. The right code gives the key to the account; a key has one account in the whole
 * service.
 */
export function confirmationWrites(hash: Hash, companyId: string, created: Confirmation): readonly Write[] {
  const validation = keyValidationUpdate(created.validation);
  if (created.outcome === 'WRONG') return [validation];
  return [validation, keyQuotaWrite(companyId, created.quota), ...confirmedKeyInserts(hash, created.validation)];
}

function confirmedKeyInserts(hash: Hash, validation: KeyValidation): readonly Put[] {
  const { accountId, id: validationId } = validation;
  const [leads, name] = confirmedKeys(hash, validation);
  return [
    { put: { ...leads, entity: 'ACCOUNT_KEY', accountId, validationId }, when: { is: 'absent' } },
    { put: { ...name, entity: 'PIX_KEY', validationId }, when: { is: 'absent' } },
  ];
}

/**
 * Returns the table keys of a confirmed key: the item that leads to its account, in the company, and the item that is
 * unique in the whole service.
 */
export function confirmedKeys(
  hash: Hash,
  { companyId, type, key }: ConfirmableKey & { readonly companyId: string },
): readonly [leads: Key, name: Key] {
  return [keys.confirmedKey(companyId, hash(companyId, type, key)), keys.pixKey(hash('PIX_KEY', type, key))];
}

/** Whether the key has an account already, of this company or another one; one read. */
export async function isKeyTaken(store: Store, hash: Hash, validation: KeyValidation): Promise<boolean> {
  const [, name] = confirmedKeys(hash, validation);
  const [item] = await store.read([name]);
  return item !== undefined;
}

function keyValidationItem(validation: KeyValidation): Item {
  const { companyId, accountId, id } = validation;
  return { ...keys.keyValidation(companyId, accountId, id), entity: 'KEY_VALIDATION', ...validation };
}
