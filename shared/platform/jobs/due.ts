import type { Instant } from '#shared/core/brasilia-time.ts';
import type { CompanyTimeKind, DueKind } from './due-kinds.ts';
import { shardOf } from './due-kinds.ts';
import { companyOf } from '../company.ts';
import { afterTime, duePartition, dueShardPartition, dueShards } from '../table/keys.ts';
import type { Condition, Item, Page, Query, Store } from '../table/store.ts';
import { queryAll } from '../table/store.ts';

/** One due job. The index is eventually consistent: its worker reads the item and decides. */
export type DueWork = { readonly companyId: string; readonly id: string; readonly dueAt: Instant };

/** Entries a page: about 200 bytes each. */
const pageSize = 1000;
/** One run in this many begins with the newest jobs. */
const newestFirstOneIn = 4;

/**
 * The condition by which a run takes a job of this kind that is due by `at`. Of two concurrent runs one fails, because
 * the other one has postponed or ended the job.
 */
export function isDueBy(companyId: string, kind: DueKind, at: string): Condition {
  const GSI3PK = dueShardPartition(kind, shardOf(companyId, dueShards));
  return { all: [{ equals: { GSI3PK } }, { before: { GSI2SK: afterTime(at) } }] };
}

/** Jobs of one company that are due by its clock, oldest first. @param limit entries a page */
export async function* dueOf(
  store: Store,
  companyId: string,
  kind: CompanyTimeKind,
  until: Instant,
  limit = 100,
): AsyncGenerator<DueWork, void, void> {
  const query: Query = { index: 'GSI2', partition: duePartition(companyId, kind), upTo: afterTime(until), limit };
  for await (const item of queryAll(store, query)) yield workIn(item);
}

/**
 * Due jobs of all companies; jobs that are not due cost nothing. Shards are read page by page in turn, beginning with a
 * random one. One run in four begins with the newest jobs, so that neither a long backlog nor a job that always fails
 * hides the others for long.
 * @param lost called for a shard that could not be read; the others are still read
 * @param order set where the order must not be random
 */
export async function* dueEverywhere(
  store: Store,
  kind: DueKind,
  until: Instant,
  options: { readonly random: () => number; readonly lost: (error: unknown) => void; readonly order?: 'NEWEST_FIRST' },
): AsyncGenerator<DueWork, void, void> {
  const { random, lost, order } = options;
  const start = Math.floor(random() * dueShards);
  const ascending = order === undefined && random() >= 1 / newestFirstOneIn;
  let open: Query[] = Array.from({ length: dueShards }, (_, place) => {
    const partition = dueShardPartition(kind, (start + place) % dueShards);
    return { index: 'GSI3', partition, upTo: afterTime(until), ascending, limit: pageSize };
  });
  while (open.length > 0) {
    const further: Query[] = [];
    for (const query of open) {
      const page = await store.query(query).catch((error: unknown): Page => {
        lost(error);
        return { items: [] };
      });
      for (const item of page.items) yield workIn(item);
      if (page.next !== undefined) further.push({ ...query, after: page.next });
    }
    open = further;
  }
}

/** Returns the job of an entry of either index. The keys of all items with `dueAttributesAt` begin with the company. */
function workIn({ PK, SK, GSI2SK }: Item): DueWork {
  const companyId = companyOf({ PK, SK }) ?? '';
  const sortKey = typeof GSI2SK === 'string' ? GSI2SK : '';
  const end = sortKey.indexOf('#');
  return { companyId, dueAt: sortKey.slice(0, end), id: sortKey.slice(end + 1) };
}
