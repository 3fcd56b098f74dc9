import type { FilterRules } from '../platform/table/filters.ts';
import { meetsFilters } from '../platform/table/filters.ts';
import { keys, listPartition } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import type { CreatedBetween, Listing, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, filterEntries, itemBudget, listItems, readItems } from '../platform/table/listing.ts';
import type { Item, Key, Store } from '../platform/table/store.ts';
import type { Dispute } from './model.ts';
import { parseDispute } from './store.ts';

type DisputeFilters = CreatedBetween & {
  readonly accountId?: string | undefined;
  readonly status?: string | undefined;
  readonly orderId?: string | undefined;
  readonly dueBefore?: string | undefined;
};

/** The rule of each filter: whether a dispute meets it. */
export const disputeFilters: FilterRules<Dispute, DisputeFilters> = {
  accountId: ({ accountId }, wanted) => accountId === wanted,
  status: ({ status }, wanted) => status === wanted,
  orderId: ({ orderId }, wanted) => orderId === wanted,
  dueBefore: ({ dueAt }, until) => dueAt < until,
  createdFrom: ({ createdAt }, from) => createdAt >= from,
  createdTo: ({ createdAt }, until) => createdAt < until,
};

/**
 * Returns one page of a company's disputes by creation. Keys decide status and times; the others are searched within a
 * budget.
 * @throws RequestError on a cursor of another listing
 */
export async function listDisputesOf(
  store: Store,
  companyId: string,
  filters: DisputeFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<Dispute>> {
  const keyOf = (id: string): Key => keys.dispute(companyId, id);
  const listing: Listing = {
    ...page,
    scope: { companyId, kind: 'DISPUTE', filters: { ...filters, sort: ascending ? 'asc' : 'desc' } },
    ...sourceOf(store, companyId, filters, ascending),
  };
  const { found, ...next } = await listItems(store, listing, keyOf);
  const disputes = found.flatMap((item) => (item === undefined ? [] : [parseDispute(item)]));
  // A dispute may have changed since the index was read.
  return { ...next, found: disputes.filter((dispute) => meetsFilters(disputeFilters, filters, dispute)) };
}

function sourceOf(
  store: Store,
  companyId: string,
  { status, ...filters }: DisputeFilters,
  ascending: boolean,
): Pick<Listing, 'source' | 'filtered'> {
  const { accountId, orderId, dueBefore, createdFrom: from, createdTo: until } = filters;
  const keyOf = (id: string): Key => keys.dispute(companyId, id);
  const range = { keyOf: ({ id }: { readonly id: string }) => keyOf(id), ascending, from, until };
  const all =
    status === undefined
      ? entriesOf(store, { index: 'GSI2', partition: listPartition(companyId, 'DISPUTE'), ...range })
      : entriesOf(store, { index: 'GSI1', partition: listPartition(companyId, byStatus('DISPUTE', status)), ...range });
  if (accountId === undefined && orderId === undefined && dueBefore === undefined) return { source: all };
  const isMatch = ({ item }: { readonly item: Item }): boolean =>
    meetsFilters(disputeFilters, { ...filters, status }, parseDispute(item));
  return { source: filterEntries(readItems(store, keyOf, all), isMatch), filtered: itemBudget };
}
