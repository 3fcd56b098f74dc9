import { parseResourceId } from '../external-ids.ts';
import type { Position } from './cursor.ts';
import type { FilterRules } from './filters.ts';
import { meetsFilters, undecided } from './filters.ts';
import { endToEndAttributes, keys, listPartition } from './keys.ts';
import { byStatus } from './list-kinds.ts';
import type { ListedKind } from './list-kinds.ts';
import type { CreatedBetween, Listing, OrderedPage, PageOf } from './listing.ts';
import { entriesOf, filterEntries, itemBudget, listItems, readItems } from './listing.ts';
import type { Item, Key, Store } from './store.ts';
import { CorruptItem } from './store.ts';

/** The filters of orders and subscriptions. */
export type ResourceFilters = CreatedBetween & {
  readonly accountId?: string | undefined;
  readonly status?: string | undefined;
  readonly externalId?: string | undefined;
  readonly endToEndId?: string | undefined;
};

/**
 * The rule of each filter for an item. `endToEndId` needs a key: the payments of a batch have the ids, not the batch.
 */
export const resourceFilters: FilterRules<Item, ResourceFilters> = {
  accountId: (item, accountId) => accountOf(item) === accountId,
  status: ({ status }, wanted) => status === wanted,
  externalId: ({ externalId }, wanted) => externalId === wanted,
  endToEndId: 'KEY',
  createdFrom: ({ createdAt }, from) => typeof createdAt === 'string' && createdAt >= from,
  createdTo: ({ createdAt }, until) => typeof createdAt === 'string' && createdAt < until,
};

type Scope = { readonly store: Store; readonly companyId: string; readonly kind: ListedKind };

/** The budget of a filter by account, index entries of about 300 bytes: at most 75 read units a request. */
const entryBudget = { atATime: 500, inAll: 2000 };

/**
 * Returns the items of one page of a company's pay-ins, payouts or subscriptions by creation time. Keys decide the
 * external id, the end-to-end id, the times and the statuses, except `PENDING` of an order. The account is only a part
 * of a key: it is a filter with a budget.
 *
 * A resource keeps its place in the list of all resources permanently. In the list of a status it appears at most once.
 * It may be missing if its status changes between two pages. A page may be one item short if an item changes after the
 * index was read.
 * @param keyed the source of the items, where the filters have a key of their own
 * @throws RequestError on a cursor of another listing
 */
export async function listResources(
  store: Store,
  companyId: string,
  kind: ListedKind,
  filters: ResourceFilters,
  { ascending, ...page }: OrderedPage,
  keyed?: Listing['source'],
): Promise<PageOf<Item>> {
  const listing: Listing = {
    ...page,
    scope: { companyId, kind, filters: { ...filters, sort: ascending ? 'asc' : 'desc' } },
    ...(keyed === undefined
      ? sourceOf({ store, companyId, kind }, filters, ascending)
      : { source: keyed, filtered: itemBudget }),
  };
  const { found, ...next } = await listItems(store, listing, (id) => resourceKey(companyId, kind, id));
  // An item may have changed since the index was read.
  return { ...next, found: found.map(requireItem).filter((item) => meetsFilters(resourceFilters, filters, item)) };
}

function sourceOf(scope: Scope, filters: ResourceFilters, ascending: boolean): Pick<Listing, 'source' | 'filtered'> {
  const { store, companyId, kind } = scope;
  const { accountId, status, externalId, createdFrom: from, createdTo: until } = filters;
  if (externalId !== undefined) {
    undecided(resourceFilters, filters, []);
    return { source: oneSource(scope, { ...filters, externalId }) };
  }
  // A `PENDING` order is in no list of its status: its key in that index says when it is due.
  const list = status === undefined || status === 'PENDING' ? kind : byStatus(kind, status);
  const keyOf = (id: string): Key => resourceKey(companyId, kind, id);
  const all = entriesOf(store, {
    index: 'GSI2',
    partition: listPartition(companyId, list),
    ascending,
    from,
    until,
    // The list of all resources holds the external id items: the last part of a sort key is the external id.
    keyOf: ({ id, sort }) =>
      list === kind ? keys.unique(companyId, kind, sort.split('#').slice(3).join('#')) : keyOf(id),
  });
  const isOfAccount = ({ sort }: Position): boolean => sort.split('#')[2] === accountId;
  const source = accountId === undefined ? all : filterEntries(all, isOfAccount);
  const decided = ['accountId', 'createdFrom', 'createdTo', ...(list === kind ? [] : (['status'] as const))] as const;
  if (undecided(resourceFilters, filters, decided).length === 0)
    return { source, ...(accountId !== undefined && { filtered: entryBudget }) };
  const read = readItems(store, keyOf, source);
  const isMatch = ({ item }: { readonly item: Item }): boolean => meetsFilters(resourceFilters, filters, item);
  return { source: filterEntries(read, isMatch), filtered: itemBudget };
}

/**
 * Returns the source of the orders of an end-to-end id, if it is among the filters. A payout and the pay-in that it
 * pays may share one, so that orders of another kind are left out. The caller needs permission to query the index
 * `GSI3`.
 */
export function endToEndSource(
  store: Store,
  companyId: string,
  kind: ListedKind,
  filters: ResourceFilters,
  ascending: boolean,
): Listing['source'] | undefined {
  const { endToEndId } = filters;
  if (endToEndId === undefined) return undefined;
  const keyOf = (id: string): Key => resourceKey(companyId, kind, id);
  const { GSI3PK: partition } = endToEndAttributes(companyId, endToEndId);
  const found = entriesOf(store, { index: 'GSI3', partition, keyOf: ({ id }) => keyOf(id), ascending });
  const isMatch = (item: Item): boolean => item['entity'] === kind && meetsFilters(resourceFilters, filters, item);
  return filterEntries(readItems(store, keyOf, found), ({ item }) => isMatch(item));
}

/** The one resource of an external id, if it matches the other filters. */
function oneSource(scope: Scope, filters: ResourceFilters & { readonly externalId: string }): Listing['source'] {
  return async () => {
    const item = await findOne(scope, filters.externalId);
    const [id, createdAt] = [item?.['id'], item?.['createdAt']];
    if (item === undefined || typeof id !== 'string' || typeof createdAt !== 'string') return { matching: [], read: 1 };
    const matching = meetsFilters(resourceFilters, filters, item) ? [{ id, sort: `${createdAt}#${id}`, item }] : [];
    return { matching, read: 1 };
  };
}

async function findOne({ store, companyId, kind }: Scope, externalId: string): Promise<Item | undefined> {
  const [unique] = await store.read([keys.unique(companyId, kind, externalId)]);
  if (unique === undefined) return undefined;
  const [item] = await store.read([resourceKey(companyId, kind, parseResourceId(unique))]);
  return requireItem(item);
}

/** The account of an order, or the one that a subscription's charges are paid to. */
function accountOf({ accountId, receiver, entity }: Item): unknown {
  if (entity !== 'SUBSCRIPTION') return accountId;
  return typeof receiver === 'object' && receiver !== null && 'id' in receiver ? receiver['id'] : undefined;
}

function resourceKey(companyId: string, kind: ListedKind, id: string): Key {
  return kind === 'SUBSCRIPTION' ? keys.subscription(companyId, id) : keys.order(companyId, id);
}

function requireItem(item: Item | undefined): Item {
  if (item === undefined) throw new CorruptItem('Cannot find a listed resource.');
  return item;
}
