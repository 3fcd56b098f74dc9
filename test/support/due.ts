import type { Instant } from '#shared/core/brasilia-time.ts';
import { dueEverywhere } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';

/** Whether something is due for an item: what is over stands in a list by the same attributes. */
export function isDue(item: Item | undefined): boolean {
  const GSI2PK = item?.['GSI2PK'];
  return typeof GSI2PK === 'string' && GSI2PK.includes('#DUE#');
}

/** The same across companies. */
export function isDueEverywhere({ GSI3PK }: Item): boolean {
  return typeof GSI3PK === 'string' && GSI3PK.startsWith('DUE#');
}

/** The ids of a company's work that is due, among that of all companies; oldest first. */
export async function dueIdsOf(
  store: Store,
  companyId: string,
  kind: DueKind,
  until: Instant,
): Promise<readonly string[]> {
  const lost = (error: unknown): void => {
    throw error;
  };
  const ids: string[] = [];
  for await (const one of dueEverywhere(store, kind, until, { random: () => 0.99, lost }))
    if (one.companyId === companyId) ids.push(one.id);
  return ids;
}
