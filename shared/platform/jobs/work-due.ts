import { dueInRealTime } from '#sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DueWork } from './due.ts';
import { dueEverywhere } from './due.ts';
import type { DueKind } from './due-kinds.ts';
import type { Store } from '../table/store.ts';
import { workFairly } from './fair-pool.ts';

/** Dependencies of a run of a scheduled worker. */
export type DueRun = {
  readonly store: Store;
  readonly now: Clock;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** Milliseconds left of the run. */
  readonly remainingMs: () => number;
  /** Reports a job that failed or did not finish in time, only by ids. */
  readonly failed: (where: FailedWhere, error: unknown) => void;
};
export type FailedWhere = {
  readonly kind?: DueKind | undefined;
  readonly companyId?: string;
  readonly id?: string;
};

/**
 * `pending`: due jobs that did not begin, above the company's cap or out of time. `lateSeconds`: age of the oldest one.
 */
export type DueCount = {
  readonly done: number;
  readonly failed: number;
  readonly pending: number;
  readonly lateSeconds: number;
};

/** Milliseconds that the slowest job needs (at a bank that hangs): no job begins with less time left. */
export const beginsAboveMs = 15_000;
/** Milliseconds left when the run ends, even if a job hangs: its counts must still be written. */
export const endsAtMs = 3000;
/** Concurrent jobs, concurrent jobs of one company, and jobs of one company in a run. */
export const limits = { width: 32, perGroup: 4, cap: 2000 };

/** Whether no more jobs may begin. The next run finds the others. */
export function isTimeUp({ remainingMs }: Pick<DueRun, 'remainingMs'>): boolean {
  return remainingMs() < beginsAboveMs;
}

/**
 * Does all due jobs of a kind, fairly between companies, until none is left or the time is up. `work` reads the item
 * itself and decides. An error that it throws is reported, and the next run finds the job again.
 * @param until jobs with a time up to this are due: `now` by default
 * @param perCompany maximum of jobs of one company in this run
 * @param found replaces the due index, for a run that also looks at jobs that are not due
 */
export async function workDue(
  run: DueRun,
  options: {
    readonly kind: DueKind;
    readonly until?: Instant;
    readonly perCompany?: number;
    readonly found?: AsyncIterable<DueWork>;
  },
  work: (item: DueWork) => Promise<void>,
): Promise<DueCount> {
  const { kind, until = run.now(), perCompany: cap = limits.cap } = options;
  const count = { found: 0, begun: 0, done: 0, failed: 0 };
  const underWay = new Set<DueWork>();
  let oldest = until;
  const failed = (where: Omit<FailedWhere, 'kind'>, error: unknown): void => {
    count.failed += 1;
    run.failed({ kind, ...where }, error);
  };
  const index = dueEverywhere(run.store, kind, until, {
    random: run.random,
    lost: (error) => {
      failed({}, error);
    },
  });
  async function* counted(): AsyncGenerator<DueWork, void, void> {
    for await (const item of dueInRealTime(run.store, kind, options.found ?? index)) {
      count.found += 1;
      if (item.dueAt < oldest) oldest = item.dueAt;
      yield item;
    }
  }
  const pooled = workFairly(counted(), {
    ...limits,
    cap,
    groupOf: ({ companyId }) => companyId,
    isTimeUp: () => isTimeUp(run),
    work: async (item) => {
      count.begun += 1;
      underWay.add(item);
      await work(item).finally(() => underWay.delete(item));
      count.done += 1;
    },
    failed: ({ companyId, id }, error) => {
      failed({ companyId, id }, error);
    },
  }).catch((error: unknown) => {
    failed({}, error);
  });
  await untilTimeIsOver(run, pooled);
  for (const { companyId, id } of underWay) failed({ companyId, id }, new NotFinished());
  const { found, begun, done } = count;
  return { done, failed: count.failed, pending: found - begun, lateSeconds: secondsBetween(oldest, until) };
}

/** The job hung until the end of the run. Its writes are conditional: a late one does no harm. */
export class NotFinished extends Error {
  override readonly name = 'NotFinished';
}

/** Returns when the work has ended, or earlier, when only the time to write the run's counts is left. */
export async function untilTimeIsOver(
  { remainingMs }: Pick<DueRun, 'remainingMs'>,
  work: Promise<void>,
): Promise<void> {
  const left = remainingMs() - endsAtMs;
  if (left === Infinity) return work;
  const finished = new AbortController();
  const over = sleep(Math.max(0, left), undefined, { signal: finished.signal }).catch(() => undefined);
  await Promise.race([work, over]);
  finished.abort();
}
