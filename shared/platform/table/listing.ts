import { readCursorKey } from '../company.ts';
import type { CursorScope, Position } from './cursor.ts';
import { cursorOf, positionOf } from './cursor.ts';
import type { Filter, IndexName, Item, Key, Query, Store } from './store.ts';
import { CorruptItem, keyNames } from './store.ts';

/** An entry of a listing: what its index or its partition holds of it, at least the keys. */
export type Entry = Position & { readonly item: Item };

/**
 * A part of a listing: the entries that match among those `read`, and the last one that was read, if any may follow.
 */
type Part = { readonly matching: readonly Entry[]; readonly read: number; readonly last?: Position };

/** Reads on behind a position, `count` entries at most, in the order of the listing. */
type Source = (behind: Position | undefined, count: number) => Promise<Part>;

export type Listing = {
  /** Company, kind and the filters as the caller wrote them: what a cursor is bound to. */
  readonly scope: CursorScope;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly source: Source;
  /**
   * Where a filter is no key: how many entries are read at a time at most, and from how many on a request ends, with a
   * short page or an empty one and the cursor to go on.
   */
  readonly filtered?: { readonly atATime: number; readonly inAll: number };
};

/** What a caller asks for of a listing, and in which order. */
export type OrderedPage = Pick<Listing, 'limit' | 'cursor'> & { readonly ascending: boolean };

/** Created at or after the first moment, and before the second one. */
export type CreatedBetween = { readonly createdFrom?: string | undefined; readonly createdTo?: string | undefined };

/** One page of what was listed. */
export type PageOf<Found> = {
  readonly found: readonly Found[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

type ListedPage = {
  readonly entries: readonly Entry[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

/**
 * What is looked for among so many: the first part is as long as the page, each further one this many times the one
 * before.
 */
const growth = 4;

/**
 * One page of a listing: as many matches as `limit` while there are any, none twice and none left out over all pages.
 * Its cost is bounded by `limit` and, where something is filtered, by the budget for it, never by what is stored.
 *
 * The cursor's key is read only where a cursor is taken or given, once a company while the function lives.
 *
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listPage(store: Store, { scope, limit, cursor, source, filtered }: Listing): Promise<ListedPage> {
  const found: Entry[] = [];
  let behind =
    cursor === undefined ? undefined : positionOf(await readCursorKey(store, scope.companyId), scope, cursor);
  const { atATime, inAll } = filtered ?? { atATime: Infinity, inAll: Infinity };
  let size = limit + 1;
  for (let read = 0; found.length <= limit && read < inAll; size *= growth) {
    const count = filtered === undefined ? limit + 1 - found.length : Math.min(size, atATime, inAll - read);
    const part = await source(behind, count);
    found.push(...part.matching);
    read += part.read;
    behind = part.last;
    if (behind === undefined) break;
  }
  const entries = found.slice(0, limit);
  const next = found.length > limit ? entries.at(-1) : behind;
  if (next === undefined) return { entries, hasNext: false, nextCursor: null };
  return { entries, hasNext: true, nextCursor: cursorOf(await readCursorKey(store, scope.companyId), scope, next) };
}

/**
 * Where the entries of a listing stand: a partition of an index, or that part of one of the table whose sort keys begin
 * with `prefix`.
 */
type Place = { readonly partition: string } & (
  | {
      readonly index: IndexName;
      /** The table's key of an entry. */
      readonly keyOf: (position: Position) => Key;
    }
  | { readonly prefix: string }
);

type Range = {
  readonly ascending?: boolean;
  /** Times of the listing: from the first one on, itself included; up to the second one, itself left out. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly filters?: readonly Filter[];
};

/** Behind every sort key of a listing: they begin with a time or a date. */
const end = '~';

/** The entries of one partition, newest first unless said otherwise; without `filters` all of them match. */
export function entriesOf(store: Store, of: Place & Range): Source {
  const { partition, ascending = false, from, until, filters } = of;
  const index = 'index' in of ? of.index : undefined;
  const prefix = 'prefix' in of ? of.prefix : '';
  const names = keyNames(index);
  const query: Query = {
    ...{ partition, ascending },
    ...(index !== undefined && { index }),
    ...((prefix !== '' || from !== undefined) && { from: `${prefix}${from ?? ''}` }),
    ...((prefix !== '' || until !== undefined) && { upTo: `${prefix}${until ?? end}` }),
    ...(filters !== undefined && filters.length > 0 && { filters }),
  };
  const startAt = (position: Position): Readonly<Record<string, string>> => {
    const sort = { [names.partition]: partition, [names.sort]: `${prefix}${position.sort}` };
    return 'index' in of ? { ...of.keyOf(position), ...sort } : sort;
  };
  return async (behind, count) => {
    // Nothing is between them, and the database refuses such a question.
    if (query.from !== undefined && query.upTo !== undefined && query.from > query.upTo)
      return { matching: [], read: 0 };
    const { items, next } = await store.query({ ...query, limit: count, ...(behind && { after: startAt(behind) }) });
    const matching = items.map((item) => ({ ...positionIn(item, names.sort, prefix), item }));
    if (next === undefined) return { matching, read: items.length };
    // What the database filtered is counted as read.
    const read = filters === undefined ? items.length : count;
    return { matching, read, last: positionIn(next, names.sort, prefix) };
  };
}

/** A sort key of a listing begins, behind its prefix, with a time and an id. */
function positionIn(of: Readonly<Record<string, unknown>>, name: string, prefix: string): Position {
  const key = of[name];
  const sort = typeof key === 'string' && key.startsWith(prefix) ? key.slice(prefix.length) : '';
  const [, id] = sort.split('#');
  if (id === undefined) throw new CorruptItem('A listed item has no id or time in its key.');
  return { sort, id };
}

/** Those entries of which this is true, by what the listing holds of them. */
export function filterEntries(source: Source, matches: (entry: Entry) => boolean): Source {
  return async (behind, count) => {
    const part = await source(behind, count);
    return { ...part, matching: part.matching.filter(matches) };
  };
}

/** The same entries with the items that they lead to, in one read; those of which there is none are left out. */
export function readItems(store: Store, keyOf: (id: string) => Key, source: Source): Source {
  return async (behind, count) => {
    const part = await source(behind, count);
    const items = await store.read(part.matching.map(({ id }) => keyOf(id)));
    const matching = part.matching.flatMap((entry, place) => {
      const item = items[place];
      return item === undefined ? [] : [{ ...entry, item }];
    });
    return { ...part, matching };
  };
}
