import type { Instant } from '../domain/brasilia-time.ts';
import type { DueKind } from './keys.ts';
import { duePartition, REGISTRY } from './keys.ts';
import type { Page, Store } from './store.ts';

/** Ids of all companies, page by page: what sweeps go through. */
export async function* companies(store: Store): AsyncGenerator<string> {
  let after: Page['next'];
  do {
    const page: Page = await store.query({ partition: REGISTRY, ...(after && { after }) });
    for (const item of page.items) yield item.SK;
    after = page.next;
  } while (after !== undefined);
}

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

/** How many pieces of work of a kind are done at once. */
const CONCURRENCY = 10;

/**
 * Calls `work` for all work of a kind that is due, company by company. The index is read with a delay and names work that
 * may be done already: `work` reads the item itself and decides. What `work` throws ends the sweep.
 */
export async function eachDue(
  store: Store,
  kind: DueKind,
  at: Instant,
  work: (companyId: string, id: string) => Promise<void>,
): Promise<void> {
  for await (const companyId of companies(store)) {
    let batch: Promise<void>[] = [];
    for await (const { id } of dueOf(store, companyId, kind, at)) {
      batch.push(work(companyId, id));
      if (batch.length < CONCURRENCY) continue;
      await Promise.all(batch);
      batch = [];
    }
    await Promise.all(batch);
  }
}
