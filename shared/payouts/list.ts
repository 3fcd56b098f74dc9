import type { PayoutWithPayments } from './model.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import { readOrder } from '../refunds/orders.ts';
import { parsePayout } from './store.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { listResources } from '../platform/table/resource-list.ts';
import type { Item, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';

/** One page of a company's payouts, those that were split with their payments. As `listResources`. */
export async function listPayoutsOf(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<PayoutWithPayments>> {
  const { found, ...rest } = await listResources(store, companyId, 'PAYOUT', filters, page);
  return { ...rest, found: await Promise.all(found.map((item) => withPayments(store, companyId, item))) };
}

/** A payout that was split counts its open payments: only then there are any to be read. */
async function withPayments(store: Store, companyId: string, item: Item): Promise<PayoutWithPayments> {
  const payout = parsePayout(item);
  if (payout.openPayments === undefined) return { payout, payments: [] };
  const order = await readOrder(store, companyId, payout.id);
  if (order?.kind !== 'PAYOUT') throw new CorruptItem('A listed payout is not there.');
  return order;
}
