import type { Instant } from '#shared/core/brasilia-time.ts';
import { companyOf } from '#shared/platform/company.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueIn } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueKinds, familyOf } from '#shared/platform/jobs/due-kinds.ts';
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

/** The job that an item's entry in the index across companies is. */
export function dueEntry({ PK, SK, GSI3PK, GSI2SK }: Item): DueWork | undefined {
  if (typeof GSI3PK !== 'string' || !GSI3PK.startsWith('DUE#') || typeof GSI2SK !== 'string') return undefined;
  const [dueAt = '', name, ...id] = GSI2SK.split('#');
  const kind = dueKinds.find((known) => known === name);
  const companyId = companyOf({ PK, SK });
  if (kind === undefined || companyId === undefined) throw new Error(`${GSI3PK} has an entry of no job: ${GSI2SK}`);
  return { kind, companyId, id: id.join('#'), dueAt };
}

/** Due jobs of a kind, of all companies. */
export async function dueJobs(store: Store, kind: DueKind, until: Instant): Promise<readonly DueWork[]> {
  const lost = (error: unknown): never => {
    throw error;
  };
  const found: DueWork[] = [];
  for await (const one of dueIn(store, familyOf[kind], { until }, lost)) if (one.kind === kind) found.push(one);
  return found;
}

/** The ids of a company's work that is due, among that of all companies. */
export async function dueIdsOf(
  store: Store,
  companyId: string,
  kind: DueKind,
  until: Instant,
): Promise<readonly string[]> {
  const jobs = await dueJobs(store, kind, until);
  return jobs.filter((job) => job.companyId === companyId).map(({ id }) => id);
}
