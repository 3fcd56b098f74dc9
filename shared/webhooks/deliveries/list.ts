import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery, DeliveryStatus } from '#shared/platform/outbox/delivery.ts';
import { isOpen } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import type { FilterRules } from '#shared/platform/table/filters.ts';
import { meetsFilters, undecided } from '#shared/platform/table/filters.ts';
import type { Position } from '#shared/platform/table/cursor.ts';
import { keys, listPartition, openDeliveriesPartition, resourcePartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import type { Listing, PageOf } from '#shared/platform/table/listing.ts';
import {
  entriesOf,
  filterEntries,
  itemBudget,
  listItems,
  mergeEntries,
  readItems,
} from '#shared/platform/table/listing.ts';
import type { Item, Key, Store } from '#shared/platform/table/store.ts';

export type DeliveryFilters = {
  readonly status?: DeliveryStatus | undefined;
  /** Only `FAILED` and `HELD` deliveries whose notification the partner has not acknowledged since. */
  readonly open?: 'true' | undefined;
  readonly event?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Created later than this. */
  readonly createdAfter?: Instant | undefined;
};

/** Condition of each filter. A filter that the key of the source does not decide is applied to the items. */
export const deliveryFilters: FilterRules<Delivery, DeliveryFilters> = {
  status: ({ status }, wanted) => status === wanted,
  open: (delivery) => isOpen(delivery),
  event: ({ event }, wanted) => event === wanted,
  resourceId: ({ resource }, id) => resource.id === id,
  createdAfter: ({ createdAt }, after) => createdAt > after,
};

/** The budget of a filter by event, index entries of about 300 bytes: at most 40 read units a request. */
const entryBudget = { atATime: 250, inAll: 1000 };

/** Statuses with their own list in the index (`shared/platform/outbox/delivery-items.ts`). It has all of the status. */
const listedStatuses: readonly DeliveryStatus[] = ['FAILED', 'HELD'];

/**
 * Lists the deliveries of a company, newest first. Keys decide the statuses `FAILED` and `HELD`, `open`, `resourceId`
 * and `createdAfter`. A filter with a budget decides `event`, the other statuses, and `status` or `open` beside a
 * `resourceId`.
 *
 * The order is by creation and never changes. A delivery that gets the listed status between two pages is on a later
 * page if it is older than the cursor. No delivery is on two pages. A page of a status has one delivery less if a
 * delivery changes between the reads of index and table.
 * @throws RequestError on a cursor of another listing
 */
export async function listDeliveriesOf(
  store: Store,
  companyId: string,
  filters: DeliveryFilters,
  page: Pick<Listing, 'limit' | 'cursor'>,
): Promise<PageOf<Delivery>> {
  const keyOf = (id: string): Key => keys.delivery(companyId, id);
  const listing = {
    ...page,
    scope: { companyId, kind: 'DELIVERY', filters },
    ...sourceOf(store, companyId, filters),
  } as const;
  const { found, ...next } = await listItems(store, listing, keyOf);
  // The table deletes the two items of a delivery after 90 days, but not at the same moment.
  const deliveries = found.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  return { ...next, found: deliveries.filter((delivery) => meetsFilters(deliveryFilters, filters, delivery)) };
}

function sourceOf(store: Store, companyId: string, filters: DeliveryFilters): Pick<Listing, 'source' | 'filtered'> {
  const { status, event, resourceId, createdAfter, open } = filters;
  if (open !== undefined && resourceId === undefined) return openSource(store, companyId, filters);
  const keyOf = (id: string): Key => keys.delivery(companyId, id);
  const place =
    resourceId !== undefined
      ? ({ index: 'GSI3', partition: resourcePartition(companyId, resourceId) } as const)
      : status !== undefined && listedStatuses.includes(status)
        ? ({ index: 'GSI1', partition: listPartition(companyId, byStatus('DELIVERY', status)) } as const)
        : ({ index: 'GSI2', partition: listPartition(companyId, 'DELIVERY') } as const);
  const all = entriesOf(store, {
    ...place,
    // Sort keys begin with the time and `#`, which sorts before `~`: deliveries of exactly this time are left out.
    from: createdAfter && `${createdAfter}~`,
    keyOf: ({ id }) => (place.index === 'GSI1' ? keyOf(id) : keys.deliveryBody(companyId, id)),
  });
  const source = event === undefined ? all : filterEntries(all, (entry) => eventOf(entry) === event);
  const byKey = { GSI1: ['status'], GSI2: [], GSI3: ['resourceId'] } as const;
  if (undecided(deliveryFilters, filters, ['event', 'createdAfter', ...byKey[place.index]]).length === 0)
    return { source, ...(event !== undefined && { filtered: entryBudget }) };
  const read = readItems(store, keyOf, source);
  const isMatch = ({ item }: { readonly item: Item }): boolean =>
    meetsFilters(deliveryFilters, filters, parseDelivery(item));
  return { source: filterEntries(read, isMatch), filtered: itemBudget };
}

/** Returns the source of the open deliveries, one partition for each status. Its entries do not name the event. */
function openSource(
  store: Store,
  companyId: string,
  { status, event, createdAfter }: DeliveryFilters,
): Pick<Listing, 'source' | 'filtered'> {
  const keyOf = (id: string): Key => keys.delivery(companyId, id);
  const sources = listedStatuses
    .filter((listed) => listed === (status ?? listed))
    .map((listed) =>
      entriesOf(store, {
        index: 'GSI3',
        partition: openDeliveriesPartition(companyId, listed),
        from: createdAfter && `${createdAfter}~`,
        keyOf: ({ id }) => keyOf(id),
      }),
    );
  const source = mergeEntries(sources);
  if (event === undefined) return { source };
  const ofEvent = ({ item }: { readonly item: Item }): boolean => item['event'] === event;
  return { source: filterEntries(readItems(store, keyOf, source), ofEvent), filtered: itemBudget };
}

/** The event in the sort key of an entry, after creation time and id. */
function eventOf({ sort }: Position): string {
  return sort.split('#').slice(2).join('#');
}
