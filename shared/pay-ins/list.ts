import type { PayIn } from './model.ts';
import { endToEndAttributes, keys } from '../platform/table/keys.ts';
import type { Listing, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, filterEntries, readItems } from '../platform/table/listing.ts';
import { parsePayIn } from './store.ts';
import type { ResourceFilters } from '../platform/table/resource-list.ts';
import { listResources, matchesFilters } from '../platform/table/resource-list.ts';
import type { Store } from '../platform/table/store.ts';

/** One page of a company's pay-ins. As `listResources`; an end-to-end id is a key of its own. */
export async function listPayInsOf(
  store: Store,
  companyId: string,
  filters: ResourceFilters,
  page: OrderedPage,
): Promise<PageOf<PayIn>> {
  const { endToEndId, externalId } = filters;
  const source =
    endToEndId === undefined || externalId !== undefined
      ? undefined
      : endToEndSource(store, companyId, { ...filters, endToEndId }, page.ascending);
  const { found, ...rest } = await listResources(store, companyId, 'PAY_IN', filters, page, source);
  return { ...rest, found: found.map(parsePayIn) };
}

function endToEndSource(
  store: Store,
  companyId: string,
  filters: ResourceFilters & { readonly endToEndId: string },
  ascending: boolean,
): Listing['source'] {
  const keyOf = (id: string) => keys.order(companyId, id);
  const { GSI3PK: partition } = endToEndAttributes(companyId, filters.endToEndId);
  const paid = entriesOf(store, { index: 'GSI3', partition, keyOf: ({ id }) => keyOf(id), ascending });
  return filterEntries(readItems(store, keyOf, paid), ({ item }) => matchesFilters(item, filters));
}
