import * as z from 'zod';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import { notFound } from '../core/errors.ts';
import { askAgainAt } from '../core/resubmission.ts';
import type { AddressQuota, KeyQuota } from './quota.ts';
import type { CodeName, KeyCode, KeyValidation, RegistrableKey } from './model.ts';
import type { Registration } from './states.ts';
import { keyRefusals, registrableKeyTypes, storedValidationStatuses } from './model.ts';
import { isDueBy } from '../platform/jobs/due.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { dueAttributesAt, notDue } from '../platform/table/due-keys.ts';
import { keys } from '../platform/table/keys.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, listPage } from '../platform/table/listing.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Key, Put, Store, Update, Write } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

const KeyValidationItem = z.object({
  id: z.string(),
  companyId: z.string(),
  accountId: z.string(),
  type: z.enum(registrableKeyTypes),
  key: z.string().exactOptional(),
  status: z.enum(storedValidationStatuses),
  connection: z.string().exactOptional(),
  codeNumber: z.int(),
  codeHash: z.string().exactOptional(),
  wrongTries: z.int(),
  validUntil: z.string(),
  createdAt: z.string(),
  createdBy: z.string().exactOptional(),
  removedBy: z.string().exactOptional(),
  askedAt: z.string().exactOptional(),
  confirmedAt: z.string().exactOptional(),
  refusal: z.enum(keyRefusals).exactOptional(),
  removedAt: z.string().exactOptional(),
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

/**
 * A new validation, and its place in the account's list, which never changes.
 * @param due when a worker submits its command to the bank or looks it up
 */
export function keyValidationInserts(validation: KeyValidation, due?: Instant): readonly Put[] {
  const { companyId, accountId, id: validationId, createdAt } = validation;
  const entry = keys.keyEntry(companyId, accountId, createdAt, validationId);
  return [
    { put: keyValidationItem(validation, due), when: { is: 'absent' } },
    { put: { ...entry, entity: 'KEY_ENTRY' }, when: { is: 'absent' } },
  ];
}

/**
 * Writes a validation after a decision, on condition that it is still as it was read.
 * @param due when a worker submits its command to the bank or looks it up
 */
export function keyValidationUpdate(validation: KeyValidation, due?: Instant): Put {
  return { put: keyValidationItem(validation, due), when: { equals: { version: validation.version - 1 } } };
}

type KeyName = Pick<KeyValidation, 'companyId' | 'accountId' | 'id'>;

/** The id of the due command of a key: that of its account, then its own. */
function commandIdOf({ accountId, id }: KeyName): string {
  return `${accountId}#${id}`;
}

/** Reads the key of a due command. */
export async function readKeyOfCommand(
  store: Store,
  companyId: string,
  commandId: string,
): Promise<KeyValidation | undefined> {
  const [accountId = '', id = ''] = commandId.split('#');
  return readKeyValidation(store, companyId, accountId, id);
}

export async function readKeyValidation(
  store: Store,
  companyId: string,
  accountId: string,
  id: string,
): Promise<KeyValidation | undefined> {
  const [item] = await store.read([keys.keyValidation(companyId, accountId, id)]);
  return item && parseKeyValidation(item);
}

/** Reads a key and its account's quota as they are now. @throws RequestError 404 */
export async function requireRegistration(store: Store, { companyId, accountId, id }: KeyName): Promise<Registration> {
  const [item, quota] = await store.read([
    keys.keyValidation(companyId, accountId, id),
    keys.keyQuota(companyId, accountId),
  ]);
  // The quota was written with the first validation of the account.
  if (item === undefined || quota === undefined) throw notFound('Key validation');
  return { validation: parseKeyValidation(item), quota: parseKeyQuota(quota) };
}

/** Claims the command that is due by this time, and postpones the next look-up. One of two concurrent claims fails. */
export function keyCommandTaken(key: KeyName, at: Instant): Update {
  const { companyId, accountId, id } = key;
  return {
    update: keys.keyValidation(companyId, accountId, id),
    set: dueAttributesAt(companyId, 'KEY_COMMAND', askAgainAt(at), commandIdOf(key)),
    when: isDueBy(companyId, 'KEY_COMMAND', commandIdOf(key), at),
  };
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

export function dueIdOfCode({ accountId, validationId, number }: CodeName): string {
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
 * The writes of a key that its account asks the bank for, or that the bank has registered or refused at once. Its text
 * has one account in the whole service from then on; it leads there when it is confirmed.
 */
export function registrationWrites(hash: Hash, { validation, quota }: Registration): readonly Write[] {
  const { companyId, status } = validation;
  if (status === 'REFUSED') return [];
  return [
    keyQuotaWrite(companyId, quota),
    ...nameInserts(hash, validation),
    ...(status === 'CONFIRMED' ? leadInserts(hash, validation) : []),
  ];
}

/** The writes after the answer of the bank to a registration. */
export function answerWrites(hash: Hash, before: KeyValidation, { validation, quota }: Registration): readonly Write[] {
  const written = keyValidationUpdate(validation);
  if (validation.status === 'CONFIRMED') {
    const madeUp = before.key === undefined ? nameInserts(hash, validation) : [];
    return [written, ...madeUp, ...leadInserts(hash, validation)];
  }
  return [written, keyQuotaWrite(validation.companyId, quota), ...nameDeletes(hash, validation)];
}

/** The writes of a removal: the key leads nowhere, and another account can have it. */
export function removalWrites(hash: Hash, { validation, quota }: Registration): readonly Write[] {
  return [
    keyValidationUpdate(validation),
    keyQuotaWrite(validation.companyId, quota),
    ...confirmedKeyDeletes(hash, validation),
  ];
}

/** Deletes the two items of a confirmed key. */
export function confirmedKeyDeletes(hash: Hash, validation: KeyValidation): readonly Write[] {
  const when = { equals: { validationId: validation.id } };
  return confirmedKeys(hash, registeredKey(validation)).map((key) => ({ delete: key, when }));
}

function leadInserts(hash: Hash, validation: KeyValidation): readonly Put[] {
  const { accountId, id: validationId } = validation;
  const [leads] = confirmedKeys(hash, registeredKey(validation));
  return [{ put: { ...leads, entity: 'ACCOUNT_KEY', accountId, validationId }, when: { is: 'absent' } }];
}

function nameInserts(hash: Hash, validation: KeyValidation): readonly Put[] {
  if (validation.key === undefined) return [];
  const [, name] = confirmedKeys(hash, registeredKey(validation));
  return [{ put: { ...name, entity: 'PIX_KEY', validationId: validation.id }, when: { is: 'absent' } }];
}

function nameDeletes(hash: Hash, validation: KeyValidation): readonly Write[] {
  if (validation.key === undefined) return [];
  const [, name] = confirmedKeys(hash, registeredKey(validation));
  return [{ delete: name, when: { equals: { validationId: validation.id } } }];
}

type OwnedKey = RegistrableKey & { readonly companyId: string };

/** @throws CorruptItem for a key that its bank has not made up yet */
function registeredKey({ companyId, type, key }: KeyValidation): OwnedKey {
  if (key === undefined) throw new CorruptItem('A key that has no text yet was taken for a registered one.');
  return { companyId, type, key };
}

/**
 * Returns the table keys of a confirmed key: the item that leads to its account, in the company, and the item that is
 * unique in the whole service.
 */
export function confirmedKeys(hash: Hash, { companyId, type, key }: OwnedKey): readonly [leads: Key, name: Key] {
  return [keys.confirmedKey(companyId, hash(companyId, type, key)), keys.pixKey(hash('PIX_KEY', type, key))];
}

/** Whether the key has an account already, of this company or another one; one read. */
export async function isKeyTaken(store: Store, hash: Hash, key: OwnedKey): Promise<boolean> {
  const [, name] = confirmedKeys(hash, key);
  const [item] = await store.read([name]);
  return item !== undefined;
}

function keyValidationItem(validation: KeyValidation, due: Instant | undefined): Item {
  const { companyId, accountId, id } = validation;
  const waits = due === undefined ? {} : dueAttributesAt(companyId, 'KEY_COMMAND', due, commandIdOf(validation));
  return { ...keys.keyValidation(companyId, accountId, id), ...waits, entity: 'KEY_VALIDATION', ...validation };
}
