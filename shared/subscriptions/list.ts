import type { SubscriptionWithCancellations } from './model.ts';
import type { OrderedPage, PageOf } from '../platform/table/listing.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { listResources } from '../platform/table/resource-list.ts';
import type { Item, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import { parseSubscription, readSubscription } from './store.ts';

/** One page of a company's subscriptions with their cancellation requests. As `listResources`. */
export async function listSubscriptionsOf(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<SubscriptionWithCancellations>> {
  const { found, ...rest } = await listResources(store, companyId, 'SUBSCRIPTION', filters, page);
  return { ...rest, found: await Promise.all(found.map((item) => withCancellations(store, companyId, item))) };
}

/** A subscription counts its cancellation requests: of one that has none, none are read. */
async function withCancellations(store: Store, companyId: string, item: Item): Promise<SubscriptionWithCancellations> {
  const subscription = parseSubscription(item);
  if (item['cancellationsCount'] === 0) return { subscription, cancellations: [] };
  const found = await readSubscription(store, companyId, subscription.id, 'ALL');
  if (found === undefined) throw new CorruptItem('A listed subscription is not there.');
  return found;
}
