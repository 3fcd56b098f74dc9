import { parseResourceId } from '../external-ids.ts';
import type { Position } from './cursor.ts';
import { keys, listPartition } from './keys.ts';
import { byStatus } from './list-kinds.ts';
import type { IndexedList, ListedKind } from './list-kinds.ts';
import type { CreatedBetween, Entry, Listing, OrderedPage, PageOf } from './listing.ts';
import { entriesOf, filterEntries, listPage, readItems } from './listing.ts';
import { payoutIdOf } from '../order-items.ts';
import type { Item, Key, Store } from './store.ts';
import { CorruptItem } from './store.ts';

/** By what orders and subscriptions are listed. */
export type ResourceFilters = CreatedBetween & {
  readonly accountId?: string | undefined;
  readonly status?: string | undefined;
  readonly externalId?: string | undefined;
  readonly endToEndId?: string | undefined;
};

type Asked = { readonly store: Store; readonly companyId: string; readonly kind: ListedKind };
type Listed = Pick<Listing, 'source' | 'filtered'>;

/** Index entries of about 300 bytes: at most 75 read units a request. */
const ofKeys = { atATime: 500, inAll: 2000 };
/**
 * Items read one by one: at most 300 read units a request, and few for the newest, which are those that are pending.
 */
const ofItems = { atATime: 100, inAll: 300 };

/**
 * Items of one page of a company's pay-ins, payouts or subscriptions by creation. External id, end-to-end id, times and
 * every status that ends or changes the work on a resource are keys; an account is a part of the keys that are read,
 * and looked for within a budget, as orders are that are still `PENDING`.
 *
 * A resource keeps its place in the list of all for ever. In that of a status it is shown at most once; it may be
 * missing if its status changes between two pages, and its page one short if it changes in between index and table.
 *
 * @param keyed where these filters have a key of their own: those that match of what it leads to, item by item
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listResources(
  store: Store,
  companyId: string,
  kind: ListedKind,
  filters: ResourceFilters,
  { ascending, ...page }: OrderedPage,
  keyed?: Listing['source'],
): Promise<PageOf<Item>> {
  const asked = { store, companyId, kind };
  const { entries, ...rest } = await listPage(store, {
    ...page,
    scope: { companyId, kind, filters: { ...filters, sort: ascending ? 'asc' : 'desc' } },
    ...(keyed === undefined ? sourceOf(asked, filters, ascending) : { source: keyed, filtered: ofItems }),
  });
  const isWhole = entries.every(({ item }) => item['entity'] === kind);
  const items = isWhole
    ? entries.map(({ item }) => item)
    : await store.read(entries.map(({ id }) => resourceKey(companyId, kind, id)));
  return { ...rest, found: items.map(requireItem).filter((item) => hasStatus(item, filters)) };
}

function sourceOf(asked: Asked, filters: ResourceFilters, ascending: boolean): Listed {
  const { store, companyId, kind } = asked;
  const { accountId, status, externalId, endToEndId, createdFrom: from, createdTo: until } = filters;
  const range = { ascending, from, until };
  const keyOf = (id: string) => resourceKey(companyId, kind, id);
  if (externalId !== undefined || (endToEndId !== undefined && kind === 'PAYOUT'))
    return { source: oneSource(asked, filters) };
  const ofAccount = (all: Listing['source']): Listed =>
    accountId === undefined
      ? { source: all }
      : { source: filterEntries(all, ({ sort }) => sort.split('#')[2] === accountId), filtered: ofKeys };
  const inIndex = { index: 'GSI2', keyOf: ({ id }: Position) => keyOf(id), ...range } as const;
  const list = status === undefined ? undefined : listOf(kind, status);
  if (list !== undefined) return ofAccount(entriesOf(store, { ...inIndex, partition: listPartition(companyId, list) }));
  // The key of an entry's item follows from the external id, the last part of its sort key.
  const uniqueKey = ({ sort }: Position) => keys.unique(companyId, kind, sort.split('#').slice(3).join('#'));
  const partition = listPartition(companyId, kind);
  const all = ofAccount(entriesOf(store, { ...inIndex, partition, keyOf: uniqueKey }));
  if (status === undefined) return all;
  const read = readItems(store, keyOf, all.source);
  return { source: filterEntries(read, ({ item }) => hasStatus(item, filters)), filtered: ofItems };
}

/**
 * The list of those that have a status; none for orders that are `PENDING`, whose place in the index says what is due.
 */
function listOf(kind: ListedKind, status: string): IndexedList | undefined {
  return status === 'PENDING' ? undefined : byStatus(kind, status);
}

/** The one resource that an external id, or the end-to-end id of a payout, leads to, if it matches all the rest. */
function oneSource(asked: Asked, filters: ResourceFilters): Listing['source'] {
  return async () => {
    const item = await findOne(asked, filters);
    const [id, createdAt] = [item?.['id'], item?.['createdAt']];
    if (item === undefined || typeof id !== 'string' || typeof createdAt !== 'string') return { matching: [], read: 1 };
    const entry: Entry = { id, sort: `${createdAt}#${id}`, item };
    return { matching: matchesFilters(item, filters) ? [entry] : [], read: 1 };
  };
}

async function findOne({ store, companyId, kind }: Asked, filters: ResourceFilters): Promise<Item | undefined> {
  const { externalId, endToEndId } = filters;
  if (kind === 'PAYOUT' && endToEndId !== undefined) {
    const id = payoutIdOf(companyId, endToEndId);
    // The last two digits are a payment's place in its batch.
    const place = Number(endToEndId.slice(-2));
    const child = keys.payoutChild(companyId, id, Number.isInteger(place) ? place : 0);
    const [order, payment] = await store.read([keys.order(companyId, id), child]);
    const isIts = order?.['endToEndId'] === endToEndId || payment?.['endToEndId'] === endToEndId;
    return isIts && (externalId === undefined || order?.['externalId'] === externalId) ? order : undefined;
  }
  const [unique] = externalId === undefined ? [] : await store.read([keys.unique(companyId, kind, externalId)]);
  if (unique === undefined) return undefined;
  const [item] = await store.read([resourceKey(companyId, kind, parseResourceId(unique))]);
  if (endToEndId !== undefined && item?.['endToEndId'] !== endToEndId) return undefined;
  return requireItem(item);
}

/** Whether an item is what a list was asked for, its external and end-to-end ids apart. */
export function matchesFilters(item: Item, filters: ResourceFilters): boolean {
  const { accountId, createdFrom = '', createdTo } = filters;
  const { createdAt } = item;
  return (
    typeof createdAt === 'string' &&
    hasStatus(item, filters) &&
    (accountId === undefined || accountOf(item) === accountId) &&
    createdAt >= createdFrom &&
    (createdTo === undefined || createdAt < createdTo)
  );
}

function hasStatus(item: Item, { status }: ResourceFilters): boolean {
  return status === undefined || item['status'] === status;
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
  if (item === undefined) throw new CorruptItem('A listed resource is not there.');
  return item;
}
