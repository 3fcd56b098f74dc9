import { defaultLimit } from '#shared/contract/page.ts';
import type { FilterRules } from '../table/filters.ts';
import type { OrderedPage, PageOf } from '../table/listing.ts';

type Sort = 'asc' | 'desc';
type PageQuery = {
  readonly limit?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly cursor?: string | undefined;
};

/**
 * Returns the page that a query requests, and its filters: all its other parameters.
 * @param _rules of the list: a query with a filter that the list does not apply is an error of the compiler
 */
export function pageRequest<Q extends PageQuery>(
  { limit = defaultLimit, sort, cursor, ...filters }: Q,
  _rules: FilterRules<never, Omit<Q, keyof PageQuery>>,
  standard: Sort = 'desc',
): { readonly page: OrderedPage; readonly filters: Omit<Q, keyof PageQuery> } {
  return { page: { limit, cursor, ascending: (sort ?? standard) === 'asc' }, filters };
}

/** The response of a listing: one page, each entry as `view` shows it. */
export function pageResponse<Found, Shown>(
  { found, hasNext, nextCursor }: PageOf<Found>,
  view: (item: Found) => Shown,
): { readonly status: 200; readonly body: { nextCursor: string | null; hasNext: boolean; data: Shown[] } } {
  return { status: 200, body: { nextCursor, hasNext, data: found.map((item) => view(item)) } };
}
