import type { Instant } from '#shared/core/brasilia-time.ts';
import type { CompanyTimeKind, DueFamily, DueKind } from './due-kinds.ts';
import { dueKinds } from './due-kinds.ts';
import { companyOf } from '../company.ts';
import { afterTime, duePartition, duePartitionOf, dueShardPartition, dueShards } from '../table/due-keys.ts';
import type { Condition, Item, Page, Query, Store } from '../table/store.ts';
import { queryAll } from '../table/store.ts';

/** One due job. The index is eventually consistent: its worker reads the item and decides. */
export type DueWork = {
  readonly kind: DueKind;
  readonly companyId: string;
  readonly id: string;
  readonly dueAt: Instant;
};

/** The resource of a job: the first part of its id. The job of a refund names its pay-in, then the refund. */
export function resourceIdOf({ id }: Pick<DueWork, 'id'>): string {
  return id.split('#')[0] ?? id;
}

/** Entries a page: about 200 bytes each. */
const pageSize = 1000;
/** Shards that are read concurrently. */
const shardsAtOnce = 16;

/**
 * The condition by which a run takes a job of this kind that is due by `at`. Of two concurrent runs one fails, because
 * the other one has postponed or ended the job.
 */
export function isDueBy(companyId: string, kind: DueKind, id: string, at: string): Condition {
  const GSI3PK = duePartitionOf(companyId, kind, id);
  const isOfKind = { contains: { attribute: 'GSI2SK', text: `#${kind}#` } };
  return { all: [{ equals: { GSI3PK } }, { before: { GSI2SK: afterTime(at) } }, isOfKind] };
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
  for await (const item of queryAll(store, query)) yield* workIn(item);
}

/**
 * Due jobs of a family, of all companies; jobs that are not due cost nothing.
 * @param range due times: after `after` where it is given, up to and including `until`. Each shard is read oldest
 * first. Newest first it misses no job, and meets none twice, when jobs move to later times meanwhile
 * @param lost called for a shard that could not be read; the others are still read
 * @param limit entries a page of a shard
 */
export async function* dueIn(
  store: Store,
  family: DueFamily,
  { after, until, order }: { readonly after?: Instant; readonly until: Instant; readonly order?: 'NEWEST_FIRST' },
  lost: (error: unknown) => void,
  limit = pageSize,
): AsyncGenerator<DueWork, void, void> {
  const from = after === undefined ? {} : { from: afterTime(after) };
  let open: Query[] = Array.from({ length: dueShards }, (_, shard) => {
    const partition = dueShardPartition(family, shard);
    const ascending = order === undefined;
    return { index: 'GSI3', partition, ...from, upTo: afterTime(until), ascending, limit };
  });
  while (open.length > 0) {
    const read = open.splice(0, shardsAtOnce);
    const pages = await Promise.all(
      read.map((query) =>
        store.query(query).catch((error: unknown): Page => {
          lost(error);
          return { items: [] };
        }),
      ),
    );
    for (const { items } of pages) for (const item of items) yield* workIn(item);
    open = [...open, ...read.flatMap((query, at) => nextOf(query, pages[at]))];
  }
}

function nextOf(query: Query, page: Page | undefined): readonly Query[] {
  return page?.next === undefined ? [] : [{ ...query, after: page.next }];
}

/**
 * Returns the job of an entry of either index, none for an entry of another release. The keys of all items with
 * `dueAttributesAt` begin with the company.
 */
function workIn({ PK, SK, GSI2SK }: Item): readonly DueWork[] {
  const [dueAt = '', name, ...id] = typeof GSI2SK === 'string' ? GSI2SK.split('#') : [];
  const kind = dueKinds.find((known) => known === name);
  const companyId = companyOf({ PK, SK });
  return kind === undefined || companyId === undefined ? [] : [{ kind, companyId, id: id.join('#'), dueAt }];
}
