import { readReceived } from './received.ts';
import type { FilterRules } from '../platform/table/filters.ts';
import { meetsFilters } from '../platform/table/filters.ts';
import { keys, listPartition } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import type { CreatedBetween, Listing, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, filterEntries, itemBudget, listItems, readItems } from '../platform/table/listing.ts';
import type { Item, Key, Store } from '../platform/table/store.ts';
import type { Credit } from './model.ts';
import { parseCredit } from './store.ts';

type CreditFilters = CreatedBetween & {
  readonly accountId?: string | undefined;
  readonly status?: string | undefined;
  readonly orderId?: string | undefined;
  readonly endToEndId?: string | undefined;
};

/** The rule of each filter: whether a credit meets it. */
export const creditFilters: FilterRules<Credit, CreditFilters> = {
  accountId: ({ accountId }, wanted) => accountId === wanted,
  status: ({ status }, wanted) => status === wanted,
  orderId: ({ orderId }, wanted) => orderId === wanted,
  endToEndId: ({ endToEndId }, wanted) => endToEndId === wanted,
  createdFrom: ({ receivedAt }, from) => receivedAt >= from,
  createdTo: ({ receivedAt }, until) => receivedAt < until,
};

/**
 * Returns one page of a company's credits by the time of their booking. Keys decide status, times and end-to-end id;
 * account and order are searched within a budget.
 * @throws RequestError on a cursor of another listing
 */
export async function listCreditsOf(
  store: Store,
  companyId: string,
  filters: CreditFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<Credit>> {
  const keyOf = (id: string): Key => keys.credit(companyId, id);
  const listing: Listing = {
    ...page,
    scope: { companyId, kind: 'CREDIT', filters: { ...filters, sort: ascending ? 'asc' : 'desc' } },
    ...sourceOf(store, companyId, filters, ascending),
  };
  const { found, ...next } = await listItems(store, listing, keyOf);
  const credits = found.flatMap((item) => (item === undefined ? [] : [parseCredit(item)]));
  // A credit may have changed since the index was read.
  return { ...next, found: credits.filter((credit) => meetsFilters(creditFilters, filters, credit)) };
}

function sourceOf(
  store: Store,
  companyId: string,
  filters: CreditFilters,
  ascending: boolean,
): Pick<Listing, 'source' | 'filtered'> {
  const { status, endToEndId, createdFrom: from, createdTo: until } = filters;
  const keyOf = (id: string): Key => keys.credit(companyId, id);
  const isMatch = ({ item }: { readonly item: Item }): boolean =>
    meetsFilters(creditFilters, filters, parseCredit(item));
  if (endToEndId !== undefined) return { source: filterEntries(oneSource(store, companyId, endToEndId), isMatch) };
  const range = { keyOf: ({ id }: { readonly id: string }) => keyOf(id), ascending, from, until };
  const all =
    status === undefined
      ? entriesOf(store, { index: 'GSI2', partition: listPartition(companyId, 'CREDIT'), ...range })
      : entriesOf(store, { index: 'GSI1', partition: listPartition(companyId, byStatus('CREDIT', status)), ...range });
  if (filters.accountId === undefined && filters.orderId === undefined) return { source: all };
  return { source: filterEntries(readItems(store, keyOf, all), isMatch), filtered: itemBudget };
}

/** The credit of an end-to-end id, if the payment is one. */
function oneSource(store: Store, companyId: string, endToEndId: string): Listing['source'] {
  return async () => {
    const { creditId } = (await readReceived(store, companyId, endToEndId)) ?? {};
    if (creditId === undefined) return { matching: [], read: 1 };
    const [item] = await store.read([keys.credit(companyId, creditId)]);
    if (item === undefined) return { matching: [], read: 1 };
    return { matching: [{ id: creditId, sort: `${parseCredit(item).receivedAt}#${creditId}`, item }], read: 1 };
  };
}
