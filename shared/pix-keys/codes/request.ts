import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusSeconds } from '#shared/core/brasilia-time.ts';
import { unusedQuota } from '../quota.ts';
import type { KeyCode, CodeName, ConfirmableKey } from '../model.ts';
import type { KeyHolder, CodeRequest, Recipient } from '../states.ts';
import { notFound } from '#shared/core/errors.ts';
import { parseAccount } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Hash } from '#shared/platform/keyed-hash.ts';
import {
  addressQuotaWrite,
  keyCodeInsert,
  keyQuotaWrite,
  parseAddressQuota,
  parseKeyCode,
  parseKeyQuota,
} from '../store.ts';
import type { Item, Key, Store, Write } from '#shared/platform/table/store.ts';

/** Seconds that the stream has to send a code, before the run of every minute looks for it. */
const lookAfterSeconds = 60;

export function holderKeys(companyId: string, accountId: string): readonly [Key, Key] {
  return [keys.account(companyId, accountId), keys.keyQuota(companyId, accountId)];
}

/** Parses the items of `holderKeys`. @throws RequestError 404 when the company has no such account. */
export function parseHolder(account: Item | undefined, quota: Item | undefined, realAt: Instant): KeyHolder {
  if (account === undefined) throw notFound('Account');
  const parsed = parseAccount(account);
  return { account: parsed, quota: quota === undefined ? unusedQuota(parsed.id, realAt) : parseKeyQuota(quota) };
}

/** The key of an address's quota on a day, for all companies, by the machine's clock. */
export function addressQuotaKey(hash: Hash, { type, key }: ConfirmableKey, realAt: Instant): Key {
  return keys.addressQuota(hash('ADDRESS', type, key), brasiliaDate(realAt));
}

/** A holder, with the count of the address on the day of `realAt`. @throws RequestError as `parseHolder` */
export function parseRecipient(
  [account, quota, address]: readonly [
    account?: Item | undefined,
    quota?: Item | undefined,
    address?: Item | undefined,
  ],
  realAt: Instant,
): Recipient {
  return { ...parseHolder(account, quota, realAt), address: parseAddressQuota(address, brasiliaDate(realAt)) };
}

/** The writes of a code to send and its counts. @param realAt by the machine's clock: codes are sent in real time */
export function codeRequestWrites(
  hash: Hash,
  { validation: { companyId }, code, quota, address, ...request }: CodeRequest,
  realAt: Instant,
): readonly Write[] {
  return [
    keyCodeInsert(companyId, code, plusSeconds(realAt, lookAfterSeconds)),
    keyQuotaWrite(companyId, quota),
    addressQuotaWrite(addressQuotaKey(hash, request.to, realAt), address, realAt),
  ];
}

export async function readRequestedCode(
  store: Store,
  companyId: string,
  { accountId, validationId, number }: CodeName,
): Promise<KeyCode> {
  const [item] = await store.read([keys.keyCode(companyId, accountId, validationId, number)]);
  // The idempotency key was written with the code, which nothing removes.
  if (item === undefined) throw new Error('An idempotency key names a code that does not exist.');
  return parseKeyCode(item);
}
