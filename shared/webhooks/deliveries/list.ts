import type { Instant } from '#shared/core/brasilia-time.ts';
import type { Delivery, DeliveryStatus } from '#shared/platform/outbox/delivery.ts';
import type { Position } from '#shared/platform/table/cursor.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys, listPartition, resourcePartition } from '#shared/platform/table/keys.ts';
import { byStatus } from '#shared/platform/table/list-kinds.ts';
import type { Entry, Listing } from '#shared/platform/table/listing.ts';
import { entriesOf, filterEntries, listPage, readItems } from '#shared/platform/table/listing.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';

export type DeliveryFilters = {
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Created later than this. */
  readonly createdAfter?: Instant | undefined;
};

type DeliveryPage = {
  readonly deliveries: readonly Delivery[];
  readonly hasNext: boolean;
  readonly nextCursor: string | null;
};

type Listed = Pick<Listing, 'source' | 'filtered'>;

/** Index entries of about 300 bytes: at most 40 read units a request. */
const ofIndex = { atATime: 250, inAll: 1000 };
/** Items read one by one: at most 300 read units a request. A resource has a handful of deliveries. */
const ofItems = { atATime: 100, inAll: 300 };

/**
 * Deliveries of a company, newest first. `status` and `resourceId` are keys, as the whole list is; `createdAfter` is
 * where each of them ends. An `event`, and a `status` beside a `resourceId`, are looked for within a budget.
 *
 * A delivery keeps its place by creation for ever. One that gets the status of a listing between two pages is on a
 * later page if it is older than the cursor; no page shows one again. A page of a status is one short if a delivery
 * changes between index and table.
 *
 * @throws Refusal on a cursor that is not one of this listing
 */
export async function listDeliveriesOf(
  store: Store,
  companyId: string,
  filters: DeliveryFilters,
  page: Pick<Listing, 'limit' | 'cursor'>,
): Promise<DeliveryPage> {
  const { source, filtered } = sourceOf(store, companyId, filters);
  const { entries, hasNext, nextCursor } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'DELIVERY', filters },
    source,
    ...(filtered && { filtered }),
  });
  const items = await wholeItems(store, companyId, entries);
  // The table forgets a delivery after 90 days, and its two items not at the same moment.
  const deliveries = items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  const isListed = ({ status }: Delivery): boolean => status === (filters.status ?? status);
  return { deliveries: deliveries.filter(isListed), hasNext, nextCursor };
}

function sourceOf(store: Store, companyId: string, filters: DeliveryFilters): Listed {
  const { status, event, resourceId, createdAfter } = filters;
  // Sort keys begin with the time and a `#`: what was created at that very moment comes before this.
  const range = { from: createdAfter && `${createdAfter}~` };
  const byBytes = { ...range, keyOf: ({ id }: Position) => keys.deliveryBody(companyId, id) };
  const ofEvent = (named: string | undefined): boolean => event === undefined || named === event;
  if (resourceId !== undefined) {
    const partition = resourcePartition(companyId, resourceId);
    const all = entriesOf(store, { index: 'GSI3', partition, ...byBytes });
    const named = filterEntries(all, (entry) => ofEvent(eventIn(entry)));
    if (status === undefined) return event === undefined ? { source: all } : { source: named, filtered: ofIndex };
    const read = filterEntries(
      readItems(store, (id) => keys.delivery(companyId, id), named),
      ({ item }) => item['status'] === status,
    );
    return { source: read, filtered: ofItems };
  }
  if (status !== undefined) {
    const keyOf = ({ id }: Position) => keys.delivery(companyId, id);
    const partition = listPartition(companyId, byStatus('DELIVERY', status));
    const all = entriesOf(store, { index: 'GSI1', partition, ...range, keyOf });
    if (event === undefined) return { source: all };
    return { source: filterEntries(all, (entry) => ofEvent(eventIn(entry))), filtered: ofIndex };
  }
  const all = entriesOf(store, { index: 'GSI2', partition: listPartition(companyId, 'DELIVERY'), ...byBytes });
  if (event === undefined) return { source: all };
  return { source: filterEntries(all, (entry) => ofEvent(eventIn(entry))), filtered: ofIndex };
}

/** The event in the sort key of an entry, behind creation time and id. */
function eventIn({ sort }: Entry): string {
  return sort.split('#').slice(2).join('#');
}

/** What was read to be judged is there already; keys lead to the rest in one read. */
async function wholeItems(
  store: Store,
  companyId: string,
  entries: readonly Entry[],
): Promise<readonly (Item | undefined)[]> {
  if (entries.every(({ item }) => item['status'] !== undefined)) return entries.map(({ item }) => item);
  return store.read(entries.map(({ id }) => keys.delivery(companyId, id)));
}
