import type { Instant } from '../domain/brasilia-time.ts';
import type { DueKind } from './keys.ts';
import { companyIds } from './company.ts';
import { duePartition } from './keys.ts';
import type { Page, Store } from './store.ts';

/** Work of one company that is due, oldest first: the sort key is `<due>#<id>`, so everything below `<now>~` is due. */
export async function* dueOf(
  store: Store,
  companyId: string,
  kind: DueKind,
  at: Instant,
): AsyncGenerator<{ id: string; dueAt: Instant }> {
  let after: Page['next'];
  do {
    const partition = duePartition(companyId, kind);
    const page: Page = await store.query({
      index: 'GSI2',
      partition,
      upTo: `${at}~`,
      limit: 100,
      ...(after && { after }),
    });
    for (const item of page.items) {
      const sort = item['GSI2SK'];
      const [dueAt = '', id = ''] = typeof sort === 'string' ? sort.split('#') : [];
      yield { id, dueAt };
    }
    after = page.next;
  } while (after !== undefined);
}

/** How many companies a sweep looks at, and how many pieces of one company's work are done, at once. */
export const COMPANIES_AT_ONCE = 10;
const WORK_AT_ONCE = 10;

/**
 * Calls `work` for all work of a kind that is due, oldest first in each company. The index is read with a delay and names
 * work that may be done already: `work` reads the item itself and decides. What `work` throws ends the sweep.
 */
export async function eachDue(
  store: Store,
  kind: DueKind,
  at: Instant,
  work: (companyId: string, id: string) => Promise<void>,
): Promise<void> {
  await inBatches(companyIds(store), COMPANIES_AT_ONCE, (companyId) =>
    inBatches(dueOf(store, companyId, kind, at), WORK_AT_ONCE, ({ id }) => work(companyId, id)),
  );
}

/** Does the work for all of them, so many at once. */
export async function inBatches<T>(
  all: AsyncIterable<T>,
  size: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  let batch: Promise<void>[] = [];
  for await (const one of all) {
    batch.push(work(one));
    if (batch.length < size) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}
