import { randomUUID } from 'node:crypto';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { LedgerEntry } from '#shared/platform/ledger/balance.ts';
import { ledgerEntryOf, parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import { readShardCount } from '#shared/platform/ledger/shards.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import { entriesOf, mergeEntries } from '#shared/platform/table/listing.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem, queryAll } from '#shared/platform/table/store.ts';
import { ledgerEntryView } from '../view.ts';
import { entryHash } from './entry-hash.ts';
import type { ChainOf, EntryKey, Head, Link, Note, Segment } from './items.ts';
import { emptyHead, headPut, mostLinks, readHead, segmentPut, segmentsBetween } from './items.ts';
import type { Minute } from './minutes.ts';
import { endOf, minuteOf } from './minutes.ts';

/**
 * `chained`: entries that were added. `late`: those of them that were missed when their minute closed. `gaps`: those
 * that no record of the stream had brought until another entry of the account came.
 */
export type Closed = { readonly chained: number; readonly late: number; readonly gaps: number };

/**
 * Adds the entries of an account to its chain: late ones, then what its statement has until the end of the minute, in
 * the statement's order. Each transaction adds up to 500 entries with the new head; one after a crash goes on from
 * there, and a repetition finds nothing to add.
 * @param mayGoOn whether there is time for another transaction
 */
export async function closeAccount(
  store: Store,
  { companyId, accountId, late, ahead }: Note,
  minute: Minute,
  mayGoOn: () => boolean,
): Promise<Closed> {
  const chain = { companyId, accountId };
  const shards = await readShardCount(store, companyId, accountId);
  if (shards === undefined) throw new CorruptItem('An account with entries has no balance.');
  const statement = { ...chain, shards };
  const before = await readHead(store, chain);
  if (ahead === true || before?.ahead === true) return closeAhead(store, statement, minute);
  let missed = 0;
  for (const key of await missing(store, chain, late)) if (await addSingle(store, chain, minute, key)) missed += 1;
  let chained = missed;
  let gaps = 0;
  for (let isDone = false; !isDone;) {
    const head = await readHead(store, chain);
    const { entries, from } = await unchained(store, statement, head?.from ?? '', endOf(minute));
    const [first] = entries;
    if (first === undefined) break;
    if (!(await add(store, chain, head, { segment: segmentOf(head ?? emptyHead, minute, entries), first, from })))
      continue;
    chained += entries.length;
    if (before !== undefined) gaps += entries.filter(({ at }) => minuteOf(at) < minute).length;
    isDone = from === endOf(minute);
    if (!isDone && !mayGoOn()) throw new Error('The time is over before all entries of an account are chained.');
  }
  return { chained, late: missed, gaps };
}

type Statement = ChainOf & { readonly shards: number };

/**
 * Adds every entry that the chain does not have. Where the clock of a company is or was ahead, dates do not tell which
 * these are: all are read. Never in production.
 */
async function closeAhead(store: Store, statement: Statement, minute: Minute): Promise<Closed> {
  const { companyId, accountId, shards } = statement;
  const known = await chainedBetween(store, statement, '', '~');
  const found: EntryKey[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    const { PK: partition } = keys.ledgerEntry(companyId, accountId, '', '', shard);
    for await (const { PK, SK } of queryAll(store, { partition, prefix: prefixes.ledgerEntry }))
      if (!known.has(ledgerEntryOf({ PK, SK })?.id ?? '')) found.push({ PK, SK });
  }
  for (const key of inOrder(found)) await addSingle(store, statement, minute, key, true);
  return { chained: found.length, late: 0, gaps: 0 };
}

/** Reads entries of all shards, oldest first. The `from` that it returns is the sort key from which others follow. */
async function unchained(store: Store, { companyId, accountId, shards }: Statement, from: string, until: Instant) {
  const sources = Array.from({ length: shards }, (_, shard) => {
    const { PK: partition } = keys.ledgerEntry(companyId, accountId, '', '', shard);
    return entriesOf(store, { partition, prefix: prefixes.ledgerEntry, ascending: true, from, until });
  });
  const { matching, last } = await mergeEntries(sources, true)(undefined, mostLinks);
  const entries = matching.map(({ item }) => parseLedgerEntry(item));
  return { entries, from: last === undefined ? until : `${last.sort}~` };
}

/** Returns those of these entries that the chain does not have. */
async function missing(store: Store, chain: ChainOf, late: readonly EntryKey[]): Promise<readonly EntryKey[]> {
  const times = late.flatMap((key) => ledgerEntryOf(key)?.at ?? []).toSorted();
  const [from, to] = [times[0], times.at(-1)];
  if (from === undefined || to === undefined) return [];
  const known = await chainedBetween(store, chain, from, to);
  return inOrder(late.filter((key) => !known.has(ledgerEntryOf(key)?.id ?? '')));
}

/** Sorts entries as the statement does: by time, then id. */
function inOrder(entries: readonly EntryKey[]): readonly EntryKey[] {
  return entries.toSorted((a, b) => (a.SK < b.SK ? -1 : 1));
}

async function chainedBetween(store: Store, chain: ChainOf, from: Instant, to: Instant): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { links } of segmentsBetween(store, chain, from, to)) for (const { id } of links) ids.add(id);
  return ids;
}

/**
 * Adds one entry, unless the chain has it, or its statement brings it later.
 * @param ahead whether its date tells nothing of its place
 * @returns whether it was added
 */
async function addSingle(store: Store, chain: ChainOf, minute: Minute, key: EntryKey, ahead = false): Promise<boolean> {
  const named = ledgerEntryOf(key);
  if (named === undefined) throw new CorruptItem('A note names an item that is no entry.');
  for (;;) {
    const head = await readHead(store, chain);
    const { from } = head ?? emptyHead;
    if (!ahead && `${named.at}#${named.id}` >= from) return false;
    if ((await chainedBetween(store, chain, named.at, named.at)).has(named.id)) return false;
    const [item] = await store.read([key]);
    if (item === undefined) throw new CorruptItem('Cannot find an entry of the stream.');
    const entry = parseLedgerEntry(item);
    const segment: Segment = { ...segmentOf(head ?? emptyHead, minute, [entry]), single: true };
    if (await add(store, chain, head, { segment, first: entry, from, ahead })) return true;
  }
}

type Added = {
  readonly segment: Segment;
  readonly first: LedgerEntry;
  readonly from: string;
  readonly ahead?: boolean;
};

/** Writes a segment with the head behind it. Returns false, and writes nothing, if the head has moved. */
async function add(
  store: Store,
  chain: ChainOf,
  head: Head | undefined,
  { segment, first, from, ahead }: Added,
): Promise<boolean> {
  const { minute, links } = segment;
  const position = segment.first + links.length - 1;
  const hash = links.at(-1)?.hash ?? emptyHead.hash;
  const to: Head = { position, hash, minute, from, ...(ahead === true && { ahead }) };
  const writes = [headPut(chain, head, to), segmentPut(chain, segment, first)];
  return (await store.write(writes, randomUUID())).ok;
}

function segmentOf(head: Head, minute: Minute, entries: readonly LedgerEntry[]): Segment {
  const links: Link[] = [];
  let previous = head.hash;
  for (const entry of entries) {
    const hash = entryHash(previous, ledgerEntryView(entry));
    links.push({ id: entry.id, previous, hash });
    previous = hash;
  }
  return { minute, first: head.position + 1, links };
}
