import { readCursorKey } from './company.ts';
import type { CursorScope } from './cursor.ts';
import { cursorOf, positionOf } from './cursor.ts';
import { listed, listPartition } from './keys.ts';
import type { Filter, Item, Key, Query, Store } from './store.ts';
import { CorruptItem } from './store.ts';

export type Listing = {
  /** Company, kind and the filters as the caller wrote them: what a cursor is bound to. */
  readonly scope: CursorScope;
  /** The same filters as the table understands them. */
  readonly filters: readonly Filter[];
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Oldest first; newest first if not said. */
  readonly ascending?: boolean;
  /** The table's key of an entry. */
  readonly keyOf: (id: string) => Key;
};

export type ListedPage = {
  readonly items: readonly Item[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

/**
 * One exact page of a listing by creation: as many matches as `limit` while there are any. DynamoDB limits before it
 * filters, so with filters whole pages of it (1 MB) are read until the page is full and one further match is seen.
 *
 * The cursor's key is read only where a cursor is taken or given, once a company while the function lives.
 *
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listPage(store: Store, listing: Listing): Promise<ListedPage> {
  const { scope, filters, limit, cursor, ascending = false } = listing;
  const base: Query = {
    index: 'GSI1',
    partition: listPartition(scope.companyId, scope.kind),
    ascending,
    filters,
    ...(filters.length === 0 && { limit: limit + 1 }),
  };
  const items: Item[] = [];
  let after: Query['after'] = cursor === undefined ? undefined : await startOf(store, listing, cursor);
  do {
    const page = await store.query({ ...base, ...(after !== undefined && { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined && items.length <= limit);
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  if (items.length <= limit || last === undefined) return { items: shown, hasNext: false, nextCursor: null };
  const nextCursor = cursorOf(await readCursorKey(store, scope.companyId), scope, positionIn(last));
  return { items: shown, hasNext: true, nextCursor };
}

async function startOf(store: Store, { scope, keyOf }: Listing, cursor: string): Promise<Record<string, string>> {
  const { createdAt, id } = positionOf(await readCursorKey(store, scope.companyId), scope, cursor);
  return { ...keyOf(id), ...listed(scope.companyId, scope.kind, createdAt, id) };
}

function positionIn({ PK, createdAt, id }: Item): { createdAt: string; id: string } {
  if (typeof createdAt === 'string' && typeof id === 'string') return { createdAt, id };
  throw new CorruptItem(`The listed item ${PK} has no id or creation time.`);
}
