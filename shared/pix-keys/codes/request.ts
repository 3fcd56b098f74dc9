import type { Instant } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, plusSeconds } from '#shared/core/brasilia-time.ts';
import { emptyTally } from '../quota.ts';
import type { KeyCode } from '../model.ts';
import type { KeyHolder, Promised, Recipient } from '../states.ts';
import { notFound } from '#shared/core/errors.ts';
import { parseAccount } from '#shared/accounts/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { CodeName, ConfirmableKey } from '../model.ts';
import type { Hash } from '#shared/platform/keyed-hash.ts';
import {
  addressTallyWrite,
  keyCodeInsert,
  keyTallyWrite,
  parseAddressTally,
  parseKeyCode,
  parseKeyTally,
} from '../store.ts';
import type { Item, Key, Store, Write } from '#shared/platform/table/store.ts';

/** How long the stream has for a code before the minute's run looks for it, seconds. */
const lookAfterSeconds = 60;

/** What says whose keys they are, and how many. */
export function holderKeys(companyId: string, accountId: string): readonly [Key, Key] {
  return [keys.account(companyId, accountId), keys.keyTally(companyId, accountId)];
}

/** The items of these keys. @throws Refusal 404 when the company has no such account. */
export function parseHolder(account: Item | undefined, tally: Item | undefined, realAt: Instant): KeyHolder {
  if (account === undefined) throw notFound('Account');
  const parsed = parseAccount(account);
  return { account: parsed, tally: tally === undefined ? emptyTally(parsed.id, realAt) : parseKeyTally(tally) };
}

/** Where an address is counted on a day, for all companies: no clock of theirs turns it. */
export function addressTallyKey(hash: Hash, { type, key }: ConfirmableKey, realAt: Instant): Key {
  return keys.addressTally(hash('ADDRESS', type, key), brasiliaDate(realAt));
}

/** A holder, with the count of the address on the day of `realAt`. @throws Refusal as `parseHolder` */
export function parseRecipient(
  [account, tally, address]: readonly [
    account?: Item | undefined,
    tally?: Item | undefined,
    address?: Item | undefined,
  ],
  realAt: Instant,
): Recipient {
  return { ...parseHolder(account, tally, realAt), address: parseAddressTally(address, brasiliaDate(realAt)) };
}

/**
 * The obligation to send a code, and its counts. @param realAt when the counts were read, by the machine's clock: a
 * code is sent now, whatever a company's clock shows
 */
export function promiseWrites(
  hash: Hash,
  { validation, code, tally, address }: Promised,
  realAt: Instant,
): readonly Write[] {
  const { companyId } = validation;
  return [
    keyCodeInsert(companyId, code, plusSeconds(realAt, lookAfterSeconds)),
    keyTallyWrite(companyId, tally),
    addressTallyWrite(addressTallyKey(hash, validation, realAt), address, realAt),
  ];
}

/** The facts of the answer that promised a code. */
export async function readPromisedCode(
  store: Store,
  companyId: string,
  { accountId, validationId, number }: CodeName,
): Promise<KeyCode> {
  const [item] = await store.read([keys.keyCode(companyId, accountId, validationId, number)]);
  // The idempotency key was written with the code, which nothing removes.
  if (item === undefined) throw new Error('An idempotency key names a code that does not exist.');
  return parseKeyCode(item);
}
