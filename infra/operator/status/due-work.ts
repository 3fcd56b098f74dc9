import { lateAfterSeconds } from '#functions/workers.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import { dueIn } from '#shared/platform/jobs/due.ts';
import type { DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilyNames, isCompanyTimeKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueShards } from '#shared/platform/table/due-keys.ts';
import { clocks } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { queryAll } from '#shared/platform/table/store.ts';
import type { Problem } from './problem.ts';

/** Jobs of a kind that are due. `due`: their number, as `1024+` where there may be more. */
export type DueJobs = {
  readonly kind: DueKind;
  readonly due: string;
  readonly oldest: Instant;
  readonly ageSeconds: number;
  readonly state: 'LATE' | 'IN TIME';
};

/** Jobs of a shard that are read at once: the oldest of every shard are seen before a family has its most. */
const pageOfShard = 16;
const jobsCountedAtMost = dueShards * pageOfShard;

/** The companies whose clock is simulated: their jobs are due by that clock. None in production. */
export async function simulatedCompanies(store: Store): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { GSI2SK } of queryAll(store, { index: 'GSI3', partition: clocks }))
    if (typeof GSI2SK === 'string') found.add(GSI2SK);
  return found;
}

type Counted = { count: number; oldest: Instant; isWhole: boolean };

/** Counts the due jobs by kind, at most 1024 of a family: one query for each shard and family where nothing is due. */
export async function dueWork(
  store: Store,
  now: Instant,
  simulated: ReadonlySet<string>,
): Promise<{ readonly work: readonly DueJobs[]; readonly problems: readonly Problem[] }> {
  const counts = new Map<DueKind, Counted>();
  const lost = (error: unknown): never => {
    throw error;
  };
  for (const family of dueFamilyNames) {
    let seen = 0;
    const kinds = new Set<Counted>();
    for await (const { kind, companyId, dueAt } of dueIn(store, family, { until: now }, lost, pageOfShard)) {
      if (isCompanyTimeKind(kind) && simulated.has(companyId)) continue;
      const known = counts.get(kind) ?? { count: 0, oldest: dueAt, isWhole: true };
      counts.set(kind, known);
      known.count += 1;
      if (dueAt < known.oldest) known.oldest = dueAt;
      kinds.add(known);
      seen += 1;
      if (seen < jobsCountedAtMost) continue;
      for (const one of kinds) one.isWhole = false;
      break;
    }
  }
  const work = [...counts].map(([kind, { count, oldest, isWhole }]): DueJobs => {
    const ageSeconds = Math.floor(secondsBetween(oldest, now));
    const state = ageSeconds > lateAfterSeconds[kind] ? 'LATE' : 'IN TIME';
    return { kind, due: isWhole ? `${count}` : `${count}+`, oldest, ageSeconds, state };
  });
  const problems = work
    .filter(({ state }) => state === 'LATE')
    .map(({ kind, due, oldest }) => ({
      problem: `late work ${kind}: ${due} due, the oldest since ${oldest}`,
      next: 'docs/runbook.md#late-work',
    }));
  return { work, problems };
}
