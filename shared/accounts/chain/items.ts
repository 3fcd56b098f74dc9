import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { LedgerEntry } from '#shared/platform/ledger/balance.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import type { ItemMembers } from '#shared/platform/table/parse.ts';
import { parserOf } from '#shared/platform/table/parse.ts';
import type { Check, Item, Put, Store } from '#shared/platform/table/store.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import { noEntry } from './entry-hash.ts';
import type { Minute } from './minutes.ts';
import { beginOf } from './minutes.ts';

/** The account of a chain. */
export type ChainOf = { readonly companyId: string; readonly accountId: string };

/** Where the chain of an account ends. */
export type Head = {
  /** How many entries it has. */
  readonly position: number;
  /** Of the last entry, hexadecimal; of none, 32 zero bytes. */
  readonly hash: string;
  /** The last minute that closed with entries. */
  readonly minute: Minute;
  /** Sort key from which entries are not chained yet: a time, or behind that of an entry. */
  readonly from: string;
  /** Whether it has entries of a simulated clock that was ahead. */
  readonly ahead?: true;
};
export const emptyHead: Head = { position: 0, hash: noEntry, minute: '', from: '' };

/** A link of the chain. `previous` and `hash` are hexadecimal. */
export type Link = { readonly id: string; readonly previous: string; readonly hash: string };

/** Links that follow each other in the chain and in the statement. */
export type Segment = {
  readonly minute: Minute;
  /** Position of the first link, from 1. */
  readonly first: number;
  /** Whether its one entry is not at its place in the order of the statement. Other segments are. */
  readonly single?: true;
  readonly links: readonly Link[];
};

/** Entries of a segment at most: 24 KB. */
export const mostLinks = 500;
const idBytes = 16;
const hashBytes = 32;

const parseHeadItem = parserOf(
  z.object({
    entity: z.literal('CHAIN_HEAD'),
    position: z.int(),
    hash: z.string(),
    minute: z.string(),
    from: z.string(),
    ahead: z.literal(true).exactOptional(),
  } satisfies ItemMembers<Head>),
  'chain head',
);
const parseSegmentItem = parserOf(
  z.object({
    entity: z.literal('CHAIN_SEGMENT'),
    minute: z.string(),
    first: z.int(),
    single: z.literal(true).exactOptional(),
    previous: z.string(),
    /** For each link 16 bytes of its id and 32 of its hash. */
    links: z.instanceof(Uint8Array),
  } satisfies ItemMembers<Segment & { previous: string }>),
  'chain segment',
);

export async function readHead(store: Store, { companyId, accountId }: ChainOf): Promise<Head | undefined> {
  const [item] = await store.read([keys.chainHead(companyId, accountId)]);
  return item && parseHeadItem(item);
}

/** Moves the head, on condition that it is still where it was read. */
export function headPut({ companyId, accountId }: ChainOf, from: Head | undefined, to: Head): Put {
  return {
    put: { ...keys.chainHead(companyId, accountId), entity: 'CHAIN_HEAD', ...to },
    when: from === undefined ? { is: 'absent' } : { equals: { position: from.position, from: from.from } },
  };
}

export function segmentPut(
  { companyId, accountId }: ChainOf,
  { links, ...segment }: Segment,
  firstEntry: Pick<LedgerEntry, 'at' | 'id'>,
): Put {
  const packed = Buffer.concat(
    links.flatMap(({ id, hash }) => [Buffer.from(id.replaceAll('-', ''), 'hex'), Buffer.from(hash, 'hex')]),
  );
  const item: Item = {
    ...keys.chainSegment(companyId, accountId, firstEntry.at, firstEntry.id),
    ...segment,
    entity: 'CHAIN_SEGMENT',
    previous: links[0]?.previous ?? noEntry,
    links: packed,
  };
  return { put: item, when: { is: 'absent' } };
}

/** @throws CorruptItem */
function parseSegment(item: Item): Segment {
  const { links: packed, previous: before, ...segment } = parseSegmentItem(item);
  const links: Link[] = [];
  for (let at = 0, previous = before; at < packed.length; at += idBytes + hashBytes) {
    const id = uuidOf(packed.subarray(at, at + idBytes));
    const hash = Buffer.from(packed.subarray(at + idBytes, at + idBytes + hashBytes)).toString('hex');
    links.push({ id, previous, hash });
    previous = hash;
  }
  return { ...segment, links };
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Yields every segment that may have an entry of these times, both included: newest first. */
export async function* segmentsBetween(
  store: Store,
  { companyId, accountId }: ChainOf,
  from: Instant,
  to: Instant,
): AsyncGenerator<Segment, void, void> {
  const { PK: partition, SK: last } = keys.chainSegment(companyId, accountId, to, '~');
  const range = { partition, from: prefixes.chainSegment, upTo: last, ascending: false };
  for await (const item of queryAll(store, { ...range, limit: 4 })) {
    const segment = parseSegment(item);
    yield segment;
    // A single entry says nothing of where the entries of its time are.
    if (segment.single !== true && item.SK < `${prefixes.chainSegment}${from}`) return;
  }
}

/** Notes are spread over partitions: one takes 1 000 writes a second. */
export const noteShards = 8;
/** Seconds for which a note is kept: longer than minutes ever stay open, and than the stream repeats anything. */
const noteSeconds = 30 * 86_400;

/** An account that has new entries in a minute. */
export type Note = ChainOf & {
  /** Entries that appeared after their minute had closed: keys of the table. None: what the statement has by then. */
  readonly late: readonly EntryKey[];
  /** Whether an entry is dated after its commit, by a simulated clock. */
  readonly ahead?: true;
};
export type EntryKey = { readonly PK: string; readonly SK: string };

const parseNoteItem = parserOf(
  z.object({
    entity: z.literal('CHAIN_NOTE'),
    companyId: z.string(),
    accountId: z.string(),
    late: z.array(z.object({ PK: z.string(), SK: z.string() })),
    ahead: z.literal(true).exactOptional(),
    expiresAt: z.int(),
  } satisfies ItemMembers<Note & { expiresAt: number }>),
  'chain note',
);

/** @param shard of the account, below `noteShards` */
export function notePut(minute: Minute, shard: number, note: Note): Put {
  const { companyId, accountId, late, ahead } = note;
  const expiresAt = epochSeconds(plusSeconds(beginOf(minute), noteSeconds));
  // One does not replace another that says more.
  const key = keys.chainNote(minute, shard, companyId, accountId, late[0]?.SK ?? (ahead === true ? 'AHEAD' : ''));
  const put = { ...key, entity: 'CHAIN_NOTE', companyId, accountId, late: [...late], expiresAt };
  return { put: { ...put, ...(ahead === true && { ahead }) } };
}

/** Reads the notes of a minute, one for each account. */
export async function notesOf(store: Store, minute: Minute): Promise<readonly Note[]> {
  const shards = Array.from({ length: noteShards }, async (_, shard) => {
    const { PK: partition } = keys.chainNote(minute, shard, '', '', '');
    const notes: Note[] = [];
    for await (const item of queryAll(store, { partition })) {
      const { expiresAt: _expiresAt, ...note } = parseNoteItem(item);
      notes.push(note);
    }
    return notes;
  });
  const notes = (await Promise.all(shards)).flat();
  const byAccount = Map.groupBy(notes, ({ companyId, accountId }) => `${companyId}#${accountId}`);
  return [...byAccount.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const ahead = all.some((note) => note.ahead === true);
    return [{ ...first, late: all.flatMap(({ late }) => late), ...(ahead && { ahead }) }];
  });
}

/** How far minutes are closed: entries of `closing` and of all before it take no more notes. */
export type Progress = { readonly closing: Minute; readonly closed: Minute };

const parseProgressItem = parserOf(
  z.object({
    entity: z.literal('CHAIN_PROGRESS'),
    closing: z.string(),
    closed: z.string(),
  } satisfies ItemMembers<Progress>),
  'chain progress',
);

export async function readProgress(store: Store): Promise<Progress | undefined> {
  const [item] = await store.read([keys.chainProgress()]);
  return item && parseProgressItem(item);
}

/** The condition of a transaction that the minute is still being closed. */
export function progressCheck({ closing, closed }: Progress): Check {
  return { check: keys.chainProgress(), when: { equals: { closing, closed } } };
}

/** Writes the progress, on condition that nothing else has moved it. Returns whether it did. */
export async function moveProgress(store: Store, from: Progress | undefined, to: Progress): Promise<boolean> {
  const when = from === undefined ? ({ is: 'absent' } as const) : { equals: from };
  const { ok } = await store.writeOne({ put: { ...keys.chainProgress(), entity: 'CHAIN_PROGRESS', ...to }, when });
  return ok;
}
