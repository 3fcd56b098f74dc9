import type { Instant } from '#shared/core/brasilia-time.ts';
import type { CompanyTimeKind, DueKind } from './due-kinds.ts';
import { companyOf } from '../company.ts';
import { duePartition, dueShardPartition, dueShards } from '../table/keys.ts';
import type { Item, Page, Query, Store } from '../table/store.ts';

/** One piece of work that is due. The index is read with a delay: whoever does it reads the item and decides. */
export type DueWork = { readonly companyId: string; readonly id: string; readonly dueAt: Instant };

/** Entries a page: about 200 bytes each. */
const pageSize = 1000;
/** One run in so many begins with the newest work. */
const newestFirstOneIn = 4;

/** Work of one company that is due by its clock, oldest first. @param limit entries a page */
export async function* dueOf(
  store: Store,
  companyId: string,
  kind: CompanyTimeKind,
  until: Instant,
  limit = 100,
): AsyncGenerator<DueWork, void, void> {
  const all: Query = { index: 'GSI2', partition: duePartition(companyId, kind), upTo: afterTime(until), limit };
  let after: Page['next'];
  do {
    const page: Page = await store.query({ ...all, ...(after && { after }) });
    for (const item of page.items) yield workIn(item);
    after = page.next;
  } while (after !== undefined);
}

/**
 * Work of all companies that is due; what is not due costs nothing, whatever there is of it. Shards are read page by
 * page in turn, from a random one on, and mostly oldest first. A run in four begins with the newest: neither a backlog
 * longer than a run can read nor work that fails every time hides what stands behind it for long.
 *
 * @param lost told of a shard that could not be read; the others go on
 * @param order where chance is not to choose it
 */
export async function* dueEverywhere(
  store: Store,
  kind: DueKind,
  until: Instant,
  of: { readonly random: () => number; readonly lost: (error: unknown) => void; readonly order?: 'NEWEST_FIRST' },
): AsyncGenerator<DueWork, void, void> {
  const { random, lost, order } = of;
  const start = Math.floor(random() * dueShards);
  const ascending = order === undefined && random() >= 1 / newestFirstOneIn;
  let open: Query[] = Array.from({ length: dueShards }, (_, place) => {
    const partition = dueShardPartition(kind, (start + place) % dueShards);
    return { index: 'GSI3', partition, upTo: afterTime(until), ascending, limit: pageSize };
  });
  while (open.length > 0) {
    const further: Query[] = [];
    for (const query of open) {
      const page = await pageOf(store, query, lost);
      for (const item of page.items) yield workIn(item);
      if (page.next !== undefined) further.push({ ...query, after: page.next });
    }
    open = further;
  }
}

async function pageOf(store: Store, query: Query, lost: (error: unknown) => void): Promise<Page> {
  try {
    return await store.query(query);
  } catch (error) {
    lost(error);
    return { items: [] };
  }
}

/** Sort keys begin with the time: everything up to and at it comes before this. */
function afterTime(until: Instant): string {
  return `${until}~`;
}

/**
 * An entry of either index: its company is the beginning of its key in the table, as of every key that
 * `dueAttributesAt` is put on.
 */
function workIn({ PK, SK, GSI2SK }: Item): DueWork {
  const companyId = companyOf({ PK, SK }) ?? '';
  const sortKey = typeof GSI2SK === 'string' ? GSI2SK : '';
  const end = sortKey.indexOf('#');
  return { companyId, dueAt: sortKey.slice(0, end), id: sortKey.slice(end + 1) };
}
