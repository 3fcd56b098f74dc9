import * as z from 'zod';
import type { Balance, LedgerEntry } from '#shared/platform/ledger/balance.ts';
import { accountNotActive, accountStatuses, ledgerKinds, maxBalancePart } from '#shared/platform/ledger/balance.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos, formatAmount } from '#shared/core/money.ts';
import type { RequestError } from '#shared/core/errors.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { keys } from '../table/keys.ts';
import type { Members } from '../table/parse.ts';
import { parseItem } from '../table/parse.ts';
import type { Condition, Item, Put, Store, Write } from '../table/store.ts';

/**
 * A change of an account's balance, negative where money leaves. It is booked at `at`, or a little later: see
 * `bookableFrom`.
 */
export type LedgerPosting = Omit<LedgerEntry, 'id'> & {
  readonly entryId: string;
  /** The account must be `ACTIVE`: for money that a partner sends. Credits are booked in any status. */
  readonly requireActive?: boolean;
};

export const StoredCentavos = z.int().transform(centavos);

const BalanceItem = z.object({
  accountId: z.string(),
  accountStatus: z.enum(accountStatuses),
  available: StoredCentavos,
  reserved: StoredCentavos,
  updatedAt: z.string(),
} satisfies Members<Balance>);

const LedgerEntryItem = z.object({
  entity: z.literal('LEDGER_ENTRY'),
  id: z.string(),
  accountId: z.string(),
  kind: z.enum(ledgerKinds),
  orderId: z.string().exactOptional(),
  available: StoredCentavos,
  reserved: StoredCentavos,
  at: z.string(),
} satisfies Record<keyof LedgerEntry | 'entity', z.ZodType>);

/**
 * Seconds by which a balance can be ahead of a posting: longer than a function runs and than clocks differ. A balance
 * that is further ahead was booked by a simulated clock that has been reset since.
 */
const longestBehindSeconds = 60;

/**
 * The two writes of a posting: the balance and its entry. The condition of the balance fails if money, account or, with
 * `requireActive`, an active account is missing (`refusedPosting` tells which). It also fails if the balance has an
 * entry of that time or later (`bookableFrom` gives the next time). So the entries of an account are in the order of
 * their commits.
 * @throws RangeError when the posting changes nothing
 */
export function ledgerWrites(companyId: string, posting: LedgerPosting): readonly [Write, Write] {
  const { accountId, kind, available, reserved, at, requireActive = false } = posting;
  const deltas = Object.entries<number>({ available, reserved }).filter(([, delta]) => delta !== 0);
  if (deltas.length === 0) throw new RangeError('A ledger posting changes no amount.');
  const taken = deltas.filter(([, delta]) => delta < 0).map(([name, delta]): [string, number] => [name, -delta]);
  // A reservation can always be released: the maximum does not limit it.
  const added = deltas
    .filter(([, delta]) => delta > 0 && reserved >= 0)
    .map(([name, delta]): [string, number] => [name, maxBalancePart - delta + 1]);
  const demands: Condition[] = [
    { any: [{ before: { updatedAt: at } }, { after: { updatedAt: plusSeconds(at, longestBehindSeconds) } }] },
    // The bank has taken its fee already, whatever was left.
    ...(taken.length > 0 && kind !== 'BANK_FEE' ? [{ atLeast: Object.fromEntries(taken) }] : []),
    ...(added.length > 0 ? [{ before: Object.fromEntries(added) }] : []),
    ...(requireActive ? [{ equals: { accountStatus: 'ACTIVE' } }] : []),
  ];
  const balance: Write = {
    update: keys.balance(companyId, accountId),
    set: { updatedAt: at },
    add: Object.fromEntries(deltas),
    when: { all: demands },
  };
  return [balance, ledgerEntryPut(companyId, posting)];
}

/** Only the entry, for a new balance in the same transaction. */
export function ledgerEntryPut(companyId: string, posting: LedgerPosting): Put {
  const { accountId, kind, orderId, available, reserved, at, entryId } = posting;
  const order = orderId === undefined ? {} : { orderId };
  const facts = { entity: 'LEDGER_ENTRY', id: entryId, accountId, kind, ...order, available, reserved, at };
  return { put: { ...keys.ledgerEntry(companyId, accountId, at, entryId), ...facts }, when: { is: 'absent' } };
}

/**
 * Returns the time after the balance's last entry, from the item of the failed condition; undefined if the time was not
 * what failed.
 */
export function bookableFrom({ at }: LedgerPosting, balance: Item | undefined): Instant | undefined {
  if (balance === undefined) return undefined;
  const { updatedAt } = parseBalance(balance);
  if (updatedAt < at || updatedAt > plusSeconds(at, longestBehindSeconds)) return undefined;
  return plusMilliseconds(updatedAt, 1);
}

/** Returns why the balance refused a posting, from the item of the failed condition. */
export function refusedPosting(
  posting: Pick<LedgerPosting, 'requireActive' | 'available' | 'reserved'>,
  balance: Item | undefined,
): RequestError {
  if (balance === undefined) return notFound('Account');
  const { accountStatus, available, reserved } = parseBalance(balance);
  if (posting.requireActive === true && accountStatus !== 'ACTIVE') return accountNotActive(accountStatus);
  if (available + posting.available < 0 || reserved + posting.reserved < 0)
    return forbiddenByState('amount', 'INSUFFICIENT_BALANCE', 'The account has not enough balance.');
  const most = `BRL ${formatAmount(maxBalancePart)}`;
  return forbiddenByState('amount', 'LIMIT_EXCEEDED', `An account holds at most ${most}, and as much promised.`);
}

/** @throws CorruptItem */
export function parseLedgerEntry(item: Item): LedgerEntry {
  const { entity: _entity, ...entry } = parseItem(LedgerEntryItem, item, 'ledger entry');
  return entry;
}

/** @throws CorruptItem */
export function parseBalance(item: Item): Balance {
  return parseItem(BalanceItem, item, 'balance');
}

/** Reads a balance; undefined when the company has no such account. */
export async function readBalance(store: Store, companyId: string, accountId: string): Promise<Balance | undefined> {
  const [item] = await store.read([keys.balance(companyId, accountId)]);
  return item && parseBalance(item);
}
