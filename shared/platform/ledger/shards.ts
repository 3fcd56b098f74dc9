import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Centavos } from '#shared/core/money.ts';
import { addCentavos, centavos, subtractCentavos } from '#shared/core/money.ts';
import { keys, prefixes } from '../table/keys.ts';
import type { Item, Store } from '../table/store.ts';
import { CorruptItem, queryAll, StoreUnavailable } from '../table/store.ts';
import type { Balance, Shard } from './balance.ts';
import { maxShardPart } from './balance.ts';
import type { LedgerPosting, Share } from './ledger.ts';
import { moveWrites, parseShard, timeAfter } from './ledger.ts';

/*
 * A balance in several shards: its parts are sums. No shard is below zero but by what the bank takes,
 * which is booked in the first. A payment takes its money from one shard. A shard that is short gets money from others
 * in the same transaction.
 */

/** Readings of all shards, while money moves between them, before a read gives up. */
const mostReadings = 10;

/** All shards as two readings show them, one after the other. No money moved between shards from one to the other. */
type Readings = { readonly before: readonly Shard[]; readonly shards: readonly Shard[] };

/** Reads an account's balance: one read if it has one shard. Undefined when the company has no such account. */
export async function readBalance(store: Store, companyId: string, accountId: string): Promise<Balance | undefined> {
  const readings = await readShards(store, companyId, accountId);
  return readings && sumOf(readings.shards);
}

/** Whether an account, whose first shard was read, may have an amount. One shard answers without a read. */
export async function mayHave(store: Store, companyId: string, first: Shard, amount: Centavos): Promise<boolean> {
  if (first.available >= amount || (first.shards ?? 1) === 1) return first.available >= amount;
  const readings = await readShards(store, companyId, first.accountId);
  return readings !== undefined && mostOf(readings) >= amount;
}

/** Chooses a shard of an account's balance by chance. */
export function anyShard({ shards = 1 }: { readonly shards?: number }, ids: Ids): { readonly shard?: number } {
  const shard = shards === 1 ? 0 : Number(ids.digits(6)) % shards;
  return shard === 0 ? {} : { shard };
}

/** Reads the number of an account's shards. Undefined when the company has no such account. */
export async function readShardCount(store: Store, companyId: string, accountId: string): Promise<number | undefined> {
  const [first] = await store.read([keys.balance(companyId, accountId)]);
  return first && (parseShard(first).shards ?? 1);
}

/** Returns every entry of an account since a time, shard by shard. */
export async function* ledgerEntriesSince(
  store: Store,
  companyId: string,
  accountId: string,
  since: Instant,
): AsyncGenerator<Item, void, void> {
  const shards = (await readShardCount(store, companyId, accountId)) ?? 0;
  for (let shard = 0; shard < shards; shard += 1) {
    const { PK: partition, SK: from } = keys.ledgerEntry(companyId, accountId, since, '', shard);
    yield* queryAll(store, { partition, from, upTo: `${prefixes.ledgerEntry}~` });
  }
}

/**
 * Reads all shards until two readings have seen the same moves of money between them: then no money is missing or
 * counted twice.
 * @throws StoreUnavailable when money moves during every reading
 */
async function readShards(store: Store, companyId: string, accountId: string): Promise<Readings | undefined> {
  const read = async (count: number): Promise<readonly Shard[]> => {
    const numbers = Array.from({ length: count }, (_, shard) => shard);
    const items = await store.read(numbers.map((shard) => keys.balance(companyId, accountId, shard)));
    return items.map((item) => {
      if (item === undefined) throw new CorruptItem('Cannot find a shard of a balance.');
      return parseShard(item);
    });
  };
  const [item] = await store.read([keys.balance(companyId, accountId)]);
  if (item === undefined) return undefined;
  let before: readonly Shard[] = [parseShard(item)];
  for (let readings = 1; readings <= mostReadings; readings += 1) {
    const count = before[0]?.shards ?? 1;
    const shards = count === 1 ? before : await read(count);
    if (shards.length === before.length && shards.every(({ moves }, index) => moves === before[index]?.moves))
      return { before, shards };
    before = shards;
  }
  throw new StoreUnavailable('Cannot read the balance: money moves between its shards.');
}

function sumOf(shards: readonly Shard[]): Balance {
  const [first] = shards;
  if (first === undefined) throw new CorruptItem('A balance has no shard.');
  const { accountId, accountStatus } = first;
  return {
    accountId,
    accountStatus,
    available: addCentavos(...shards.map(({ available }) => available)),
    reserved: addCentavos(...shards.map(({ reserved }) => reserved)),
    blocked: addCentavos(...shards.map(({ blocked }) => blocked)),
    updatedAt: shards.reduce((last, { updatedAt }) => (updatedAt > last ? updatedAt : last), first.updatedAt),
  };
}

/**
 * Returns the most that the shards may have together: the larger amount of each in both readings, because the money of
 * a payment that fails can come back to a shard that was read already.
 */
function mostOf({ before, shards }: Readings): number {
  return shards.reduce((sum, { available }, index) => sum + Math.max(available, before[index]?.available ?? 0), 0);
}

/**
 * Returns the money that other shards give to the shard of a posting that is short. None if the posting can be tried
 * again as it is. Undefined if the shards have too little together.
 * @param room shards that can give in the transaction of the posting; more give in a transaction of their own
 */
export async function sharesFor(
  store: Store,
  companyId: string,
  posting: LedgerPosting,
  room: number,
): Promise<readonly Share[] | undefined> {
  const { accountId, shard = 0, at, available } = posting;
  const readings = await readShards(store, companyId, accountId);
  if (readings === undefined) return undefined;
  const { shards } = readings;
  const needed = subtractCentavos(centavos(0), available);
  if (mostOf(readings) < needed) return undefined;
  const shares = shareOut(shards, shard, needed);
  if (shares.length <= room) return shares;
  const involved = [shard, ...shares.map((share) => share.shard)];
  const times = involved.flatMap((index) => timeAfter(shards[index] ?? { updatedAt: at }, at) ?? []);
  const move = { accountId, shard, from: shares, at: times.reduce((last, time) => (time > last ? time : last), at) };
  // The outcome does not matter: the posting is tried again.
  await store.write(moveWrites(companyId, move), crypto.randomUUID());
  return [];
}

/**
 * Returns what the richest shards give, so that `to` has what is needed, and an even share of all money if that is
 * more: the next payments find money in this shard. Empty if the sum is too low.
 */
function shareOut(shards: readonly Shard[], to: number, needed: number): readonly Share[] {
  const total = shards.reduce((sum, { available }) => sum + available, 0);
  if (total < needed) return [];
  // Half of what a shard can hold leaves room for credits.
  const evenShare = Math.min(Math.floor(total / shards.length), maxShardPart / 2);
  let missing = Math.max(needed, evenShare) - (shards[to]?.available ?? 0);
  const givers = shards
    .map(({ available }, shard) => ({ shard, available }))
    .filter(({ shard, available }) => shard !== to && available > 0)
    .toSorted((a, b) => b.available - a.available);
  const shares: Share[] = [];
  for (const { shard, available } of givers) {
    if (missing <= 0) break;
    const amount = Math.min(available, missing);
    shares.push({ shard, amount: centavos(amount) });
    missing -= amount;
  }
  return shares;
}
