import * as z from 'zod';
import type { EntryCounterparty, EntryReferences, LedgerEntry, Shard } from '#shared/platform/ledger/balance.ts';
import {
  accountNotActive,
  accountStatuses,
  ledgerKinds,
  maxBalancePart,
  maxShardPart,
} from '#shared/platform/ledger/balance.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Centavos } from '#shared/core/money.ts';
import { centavos, formatAmount, subtractCentavos } from '#shared/core/money.ts';
import type { RequestError } from '#shared/core/errors.ts';
import { forbiddenByState, notFound } from '#shared/core/errors.ts';
import { pick } from '#shared/core/pick.ts';
import { keys } from '../table/keys.ts';
import type { Members } from '../table/parse.ts';
import { parseItem } from '../table/parse.ts';
import type { Condition, Item, Put, Update, Write, Key } from '../table/store.ts';

/** Money that a shard gives to another shard of the same account. */
export type Share = { readonly shard: number; readonly amount: Centavos };

/**
 * A change of an account's balance, negative where money leaves. It is booked at `at`, or a little later: see
 * `bookableFrom`.
 */
export type LedgerPosting = Omit<LedgerEntry, 'id' | 'blocked'> & {
  readonly entryId: string;
  /** Absent: nothing is blocked or released. */
  readonly blocked?: Centavos;
  /** The account must be `ACTIVE`: for money that a partner sends. Credits are booked in any status. */
  readonly requireActive?: boolean;
  /** The shard that takes the change. Absent: the first. */
  readonly shard?: number;
  /** What other shards give to that shard in the same transaction. */
  readonly from?: readonly Share[];
};

export const StoredCentavos = z.int().transform(centavos);
/** A part of a balance or entry that items written before it do not have. */
const LaterPart = StoredCentavos.default(centavos(0));

const ShardItem = z.object({
  accountId: z.string(),
  accountStatus: z.enum(accountStatuses),
  available: StoredCentavos,
  reserved: StoredCentavos,
  blocked: LaterPart,
  updatedAt: z.string(),
  shards: z.int().exactOptional(),
  moves: z.int().exactOptional(),
} satisfies Members<Shard>);

const references = {
  orderId: z.string().exactOptional(),
  refundId: z.string().exactOptional(),
  creditId: z.string().exactOptional(),
  disputeId: z.string().exactOptional(),
  endToEndId: z.string().exactOptional(),
  controlNumber: z.string().exactOptional(),
  counterparty: z
    .object({
      name: z.string(),
      document: z.string(),
      bank: z.object({ ispb: z.string(), branch: z.string().exactOptional(), account: z.string() }).exactOptional(),
    } satisfies Members<EntryCounterparty>)
    .exactOptional(),
} satisfies Members<EntryReferences>;

const LedgerEntryItem = z.object({
  entity: z.literal('LEDGER_ENTRY'),
  id: z.string(),
  accountId: z.string(),
  kind: z.enum(ledgerKinds),
  ...references,
  available: StoredCentavos,
  reserved: StoredCentavos,
  blocked: LaterPart,
  at: z.string(),
} satisfies Record<keyof LedgerEntry | 'entity', z.ZodType>);

/**
 * Seconds by which a balance can be ahead of a posting, and a commit behind its time: longer than a function takes from
 * the one to the other, and than clocks differ. A balance that is further ahead was booked by a simulated clock that
 * has been reset since.
 */
export const longestBehindSeconds = 60;

/**
 * The writes of a posting: its shard, its entry, and the shards that give money to its shard. The condition of the
 * shard fails if money, account or, with `requireActive`, an active account is missing (`refusedPosting` tells which).
 * The condition of a shard also fails if it has an entry of that time or later (`bookableFrom` gives the next time). So
 * the entries of a shard are in the order of their commits, and money that moves has one time in both shards: the
 * entries of all shards up to any time add up to what the shards held together.
 * @throws RangeError when the posting changes nothing
 */
export function ledgerWrites(companyId: string, posting: LedgerPosting): readonly [Write, Write, ...Write[]] {
  const { kind, available, reserved, blocked = 0, requireActive = false, from = [], shard = 0 } = posting;
  if (available === 0 && reserved === 0 && blocked === 0) throw new RangeError('A ledger posting changes no amount.');
  const given = from.reduce((total, { amount }) => total + amount, 0);
  const deltas = Object.entries<number>({ available: given + available, reserved, blocked }).filter(
    ([, delta]) => delta !== 0,
  );
  const taken = deltas
    .filter(([name, delta]) => delta < 0 && !(name === 'available' && isTakenByBank(kind)))
    .map(([name, delta]): [string, number] => [name, -delta]);
  const most = shard === 0 ? maxBalancePart : maxShardPart;
  // A reservation can always be released, and what is available can be blocked: the maximum does not limit them.
  const added = deltas
    .filter(([name, delta]) => delta > 0 && name !== 'blocked' && reserved >= 0 && blocked >= 0)
    .map(([name, delta]): [string, number] => [name, most - delta + 1]);
  // Where money comes from other shards, a shard below zero must not be lifted less than the posting takes.
  const lifted = given > 0 && given + available >= 0 ? { available: -given - available } : undefined;
  const demands: Condition[] = [
    ...(taken.length > 0 ? [{ atLeast: Object.fromEntries(taken) }] : []),
    ...(lifted === undefined ? [] : [{ atLeast: lifted }]),
    ...(added.length > 0 ? [{ before: Object.fromEntries(added) }] : []),
    ...(requireActive ? [{ equals: { accountStatus: 'ACTIVE' } }] : []),
  ];
  const moved = from.length > 0 ? { moves: 1 } : {};
  return [
    shardUpdate(companyId, posting, shard, { ...Object.fromEntries(deltas), ...moved }, demands),
    ledgerEntryPut(companyId, posting),
    ...from.map((share) => giving(companyId, posting, share)),
  ];
}

/** Whether the bank has taken the money already, whatever was left: a fee, or what it returned to a payer. */
export function isTakenByBank(kind: LedgerPosting['kind']): boolean {
  return kind === 'BANK_FEE' || kind === 'MED_RETURNED';
}

/** Takes money from a shard for another shard. */
function giving(companyId: string, posting: Pick<LedgerPosting, 'accountId' | 'at'>, { shard, amount }: Share): Update {
  const given = { available: subtractCentavos(centavos(0), amount), moves: 1 };
  return shardUpdate(companyId, posting, shard, given, [{ atLeast: { available: amount } }]);
}

function shardUpdate(
  companyId: string,
  { accountId, at }: Pick<LedgerPosting, 'accountId' | 'at'>,
  shard: number,
  { blocked = 0, ...add }: Readonly<Record<string, number>>,
  demands: readonly Condition[],
): Update {
  const update = keys.balance(companyId, accountId, shard);
  // Shards of earlier releases have no blocked part.
  const more = blocked === 0 ? {} : { addOrSet: { blocked } };
  return { update, set: { updatedAt: at }, add, ...more, when: { all: [bookableAt(at), ...demands] } };
}

/** Whether a shard has no entry of this time or later, but by a simulated clock that has been reset. */
export function bookableAt(at: Instant): Condition {
  return { any: [{ before: { updatedAt: at } }, { after: { updatedAt: plusSeconds(at, longestBehindSeconds) } }] };
}

/** Returns the writes that move the money in `from` to the shard of a posting, without the posting. */
export function moveWrites(
  companyId: string,
  { accountId, at, shard = 0, from = [] }: Pick<LedgerPosting, 'accountId' | 'at' | 'shard' | 'from'>,
): readonly Write[] {
  const given = from.reduce((total, { amount }) => total + amount, 0);
  return [
    shardUpdate(companyId, { accountId, at }, shard, { available: given, moves: 1 }, []),
    ...from.map((share) => giving(companyId, { accountId, at }, share)),
  ];
}

/** Only the entry, for a new balance in the same transaction. */
export function ledgerEntryPut(companyId: string, posting: LedgerPosting): Put {
  const { accountId, kind, available, reserved, at, entryId, shard } = posting;
  const named = pick(
    posting,
    'blocked',
    'orderId',
    'refundId',
    'creditId',
    'disputeId',
    'endToEndId',
    'controlNumber',
    'counterparty',
  );
  const facts = { entity: 'LEDGER_ENTRY', id: entryId, accountId, kind, ...named, available, reserved, at };
  return { put: { ...keys.ledgerEntry(companyId, accountId, at, entryId, shard), ...facts }, when: { is: 'absent' } };
}

/** What the key of an entry of a statement names; undefined for any other key. */
export function ledgerEntryOf({
  PK,
  SK,
}: Key): (Pick<LedgerEntry, 'accountId' | 'at' | 'id'> & { readonly companyId: string }) | undefined {
  const [, companyId = '', , accountId = '', , shard = '0'] = PK.split('#');
  const [, at = '', id = ''] = SK.split('#');
  const built = keys.ledgerEntry(companyId, accountId, at, id, Number(shard));
  return built.PK === PK && built.SK === SK && id !== '' ? { companyId, accountId, at, id } : undefined;
}

/**
 * Returns the time after the shard's last entry, from the item of the failed condition; undefined if the time was not
 * what failed.
 */
export function bookableFrom({ at }: Pick<LedgerPosting, 'at'>, shard: Item | undefined): Instant | undefined {
  return shard && timeAfter(parseShard(shard), at);
}

/** Returns the time after the shard's last entry; undefined if the shard can be booked at `at`. */
export function timeAfter({ updatedAt }: Pick<Shard, 'updatedAt'>, at: Instant): Instant | undefined {
  if (updatedAt < at || updatedAt > plusSeconds(at, longestBehindSeconds)) return undefined;
  return plusMilliseconds(updatedAt, 1);
}

/** Whether the posting failed because its shard is short of money, and other shards may have it. */
export function mayGetShares(posting: LedgerPosting, item: Item | undefined): boolean {
  if (item === undefined) return false;
  const { shards = 1 } = parseShard(item);
  const isOneOfSeveral = shards > 1 || (posting.shard ?? 0) > 0;
  return isOneOfSeveral && posting.available < 0 && isShort(refusedPosting(posting, item));
}

function isShort({ details }: RequestError): boolean {
  return details.some(({ issue }) => issue === 'INSUFFICIENT_BALANCE');
}

/** Returns why the balance refused a posting, from the item of the failed condition. */
export function refusedPosting(
  posting: Pick<LedgerPosting, 'requireActive' | 'available' | 'reserved' | 'blocked' | 'from'>,
  shard: Item | undefined,
): RequestError {
  if (shard === undefined) return notFound('Account');
  const { accountStatus, available, reserved, blocked } = parseShard(shard);
  const given = (posting.from ?? []).reduce((total, { amount }) => total + amount, 0);
  if (posting.requireActive === true && accountStatus !== 'ACTIVE') return accountNotActive(accountStatus);
  const lacks = [
    available + given + posting.available,
    reserved + posting.reserved,
    blocked + (posting.blocked ?? 0),
  ].some((left) => left < 0);
  if (lacks) return insufficientBalance();
  const most = `BRL ${formatAmount(maxBalancePart)}`;
  return forbiddenByState('amount', 'LIMIT_EXCEEDED', `An account holds at most ${most}, and as much promised.`);
}

export function insufficientBalance(): RequestError {
  return forbiddenByState('amount', 'INSUFFICIENT_BALANCE', 'The account has not enough balance.');
}

/** @throws CorruptItem */
export function parseLedgerEntry(item: Item): LedgerEntry {
  const { entity: _entity, ...entry } = parseItem(LedgerEntryItem, item, 'ledger entry');
  return entry;
}

/** @throws CorruptItem */
export function parseShard(item: Item): Shard {
  return parseItem(ShardItem, item, 'balance');
}
