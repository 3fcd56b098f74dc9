import { readCursorKey } from '../company.ts';
import type { CursorScope, Position } from './cursor.ts';
import { cursorOf, positionOf } from './cursor.ts';
import type { Filter, IndexName, Item, Key, Query, Store } from './store.ts';
import { CorruptItem, keyNames } from './store.ts';

/** An entry of a listing: the attributes that its index or its partition holds, at least the keys. */
type Entry = Position & { readonly item: Item };

/** Part of a listing: matching entries, the number of entries read, and where to continue if more may follow. */
type Part = { readonly matching: readonly Entry[]; readonly read: number; readonly last?: Position };

/** Reads at most `count` entries after a position, in the order of the listing. */
type Source = (after: Position | undefined, count: number) => Promise<Part>;

export type Listing = {
  /** A cursor is bound to company, kind, and the filters as the caller wrote them. */
  readonly scope: CursorScope;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly source: Source;
  /** Read budget of a filter that is no key: entries per read, and per request. At `inAll` the page ends early. */
  readonly filtered?: { readonly atATime: number; readonly inAll: number };
};

/** The page that a caller requests, and its order. */
export type OrderedPage = Pick<Listing, 'limit' | 'cursor'> & { readonly ascending: boolean };

/** Bounds of the creation time: `createdFrom` is inclusive, `createdTo` exclusive. */
export type CreatedBetween = { readonly createdFrom?: string | undefined; readonly createdTo?: string | undefined };

/** Whether another page follows, and the cursor that leads to it. */
type Next = { readonly hasNext: boolean; readonly nextCursor: string | null };

/** One page of a listing. */
export type PageOf<Found> = Next & { readonly found: readonly Found[] };

/** The budget where a filter needs whole items: at most 300 read units a request. */
export const itemBudget = { atATime: 100, inAll: 300 };

/** With a filter, each read takes this many times the entries of the read before; the first, a page and one. */
const growth = 4;

/**
 * Returns one page of a listing: up to `limit` matches. Over all pages no match is repeated or left out. The cost
 * depends on `limit` and the budget, not on the size of the table. The key of the cursors is read only for a cursor,
 * once per company.
 * @throws RequestError on a cursor of another listing
 */
export async function listPage(
  store: Store,
  { scope, limit, cursor, source, filtered }: Listing,
): Promise<Next & { readonly entries: readonly Entry[] }> {
  const found: Entry[] = [];
  let after = cursor === undefined ? undefined : positionOf(await readCursorKey(store, scope.companyId), scope, cursor);
  const { atATime, inAll } = filtered ?? { atATime: Infinity, inAll: Infinity };
  let size = limit + 1;
  for (let read = 0; found.length <= limit && read < inAll; size *= growth) {
    const count = filtered === undefined ? limit + 1 - found.length : Math.min(size, atATime, inAll - read);
    const part = await source(after, count);
    found.push(...part.matching);
    read += part.read;
    after = part.last;
    if (after === undefined) break;
  }
  const entries = found.slice(0, limit);
  const next = found.length > limit ? entries.at(-1) : after;
  if (next === undefined) return { entries, hasNext: false, nextCursor: null };
  return { entries, hasNext: true, nextCursor: cursorOf(await readCursorKey(store, scope.companyId), scope, next) };
}

/**
 * Returns one page of items. One read gets them by the ids of the entries, unless a filter has read them already. An
 * absent item is undefined.
 * @throws RequestError on a cursor of another listing
 */
export async function listItems(
  store: Store,
  listing: Listing,
  keyOf: (id: string) => Key,
): Promise<PageOf<Item | undefined>> {
  const { entries, ...next } = await listPage(store, listing);
  // An index holds only keys: an entry with an `entity` is the item itself.
  const isRead = entries.every(({ item }) => item['entity'] !== undefined);
  const found = isRead ? entries.map(({ item }) => item) : await store.read(entries.map(({ id }) => keyOf(id)));
  return { ...next, found };
}

/** The partition of a listing: one of an index, or sort keys of one of the table that begin with `prefix`. */
type ListedPartition = { readonly partition: string } & (
  | {
      readonly index: IndexName;
      /** The key of an entry in the table. */
      readonly keyOf: (position: Position) => Key;
    }
  | { readonly prefix: string }
);

type Range = {
  readonly ascending?: boolean;
  /** Times of the listing: from the first (inclusive) to the second (exclusive). */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly filters?: readonly Filter[];
};

/** Sorts after every sort key of a listing, because these begin with a time or a date. */
const end = '~';

/** Returns the entries of one partition, newest first unless `ascending`. Without `filters` all of them match. */
export function entriesOf(store: Store, range: ListedPartition & Range): Source {
  const { partition, ascending = false, from, until, filters } = range;
  const index = 'index' in range ? range.index : undefined;
  const prefix = 'prefix' in range ? range.prefix : '';
  const names = keyNames(index);
  const query: Query = {
    partition,
    ascending,
    ...(index !== undefined && { index }),
    ...((prefix !== '' || from !== undefined) && { from: `${prefix}${from ?? ''}` }),
    ...((prefix !== '' || until !== undefined) && { upTo: `${prefix}${until ?? end}` }),
    ...(filters !== undefined && filters.length > 0 && { filters }),
  };
  const startAt = (position: Position): Readonly<Record<string, string>> => {
    const sort = { [names.partition]: partition, [names.sort]: `${prefix}${position.sort}` };
    return 'index' in range ? { ...range.keyOf(position), ...sort } : sort;
  };
  return async (after, count) => {
    // DynamoDB rejects an empty range.
    if (query.from !== undefined && query.upTo !== undefined && query.from > query.upTo)
      return { matching: [], read: 0 };
    const { items, next } = await store.query({ ...query, limit: count, ...(after && { after: startAt(after) }) });
    const matching = items.map((item) => ({ ...positionIn(item, names.sort, prefix), item }));
    if (next === undefined) return { matching, read: items.length };
    // Entries that the database filtered count as read.
    const read = filters === undefined ? items.length : count;
    return { matching, read, last: positionIn(next, names.sort, prefix) };
  };
}

/** Reads the position from a sort key: a time and an id after the prefix. */
function positionIn(attributes: Readonly<Record<string, unknown>>, name: string, prefix: string): Position {
  const key = attributes[name];
  const sort = typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : '';
  const [, id] = sort.split('#');
  if (id === undefined) throw new CorruptItem('A listed item has no id or time in its key.');
  return { sort, id };
}

/** Returns a source of only those entries that `matches` accepts. */
export function filterEntries(source: Source, matches: (entry: Entry) => boolean): Source {
  return async (after, count) => {
    const part = await source(after, count);
    return { ...part, matching: part.matching.filter(matches) };
  };
}

/**
 * Merges several listings without filters, newest first unless `ascending`. All are read from the same position, for
 * twice their share of the entries; then those are read on, together, that may have entries of this part behind these.
 */
export function mergeEntries(sources: readonly Source[], ascending = false): Source {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  const isBefore = (a: Position, b: Position): boolean => (ascending ? a.sort < b.sort : a.sort > b.sort);
  return async (after, count) => {
    const lanes = sources.map((source) => ({ source, last: after }));
    let all: readonly Entry[] = [];
    let read = 0;
    for (let short = lanes, missing = count; short.length > 0;) {
      const each = Math.min(missing, Math.ceil((2 * missing) / short.length));
      const parts = await Promise.all(
        short.map(async (lane) => {
          const part = await lane.source(lane.last, each);
          lane.last = part.last;
          return part;
        }),
      );
      read += parts.reduce((sum, part) => sum + part.read, 0);
      all = [...all, ...parts.flatMap(({ matching }) => matching)].toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
      // A listing that goes on was read only to its `last` entry: entries behind it cannot be ordered yet.
      const end = all[count - 1];
      short = lanes.filter(({ last }) => last !== undefined && (end === undefined || isBefore(last, end)));
      missing = count - all.filter((entry) => !short.some(({ last }) => last && isBefore(last, entry))).length;
    }
    const matching = all.slice(0, count);
    const last = matching.at(-1);
    const goesOn = matching.length < all.length || lanes.some((lane) => lane.last !== undefined);
    return { matching, read, ...(goesOn && last && { last }) };
  };
}

/** The entries with their items, in one read; an entry whose item is absent is left out. */
export function readItems(store: Store, keyOf: (id: string) => Key, source: Source): Source {
  return async (after, count) => {
    const part = await source(after, count);
    const items = await store.read(part.matching.map(({ id }) => keyOf(id)));
    const matching = part.matching.flatMap((entry, place) => {
      const item = items[place];
      return item === undefined ? [] : [{ ...entry, item }];
    });
    return { ...part, matching };
  };
}
