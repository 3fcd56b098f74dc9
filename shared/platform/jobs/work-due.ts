import { dueInRealTime } from '#sandbox';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { DueWork } from './due.ts';
import { dueEverywhere } from './due.ts';
import type { DueKind } from './due-kinds.ts';
import type { Store } from '../table/store.ts';
import { workFairly } from './fair-pool.ts';

/** What a run of a scheduled worker has: a table, the time, and so much of it left. */
export type DueRun = {
  readonly store: Store;
  readonly now: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** What is left of the run's time, milliseconds. */
  readonly remainingMs: () => number;
  /** Reports what failed, or was not finished in time. Ids only. */
  readonly failed: (where: FailedWhere, error: unknown) => void;
};
export type FailedWhere = {
  readonly kind?: DueKind | undefined;
  readonly companyId?: string;
  readonly id?: string;
};

/**
 * `pending`: seen and not begun, over the company's cap or out of time. `lateSeconds`: of the oldest that was found due.
 */
export type DueCount = {
  readonly done: number;
  readonly failed: number;
  readonly pending: number;
  readonly lateSeconds: number;
};

/** A piece that may take this long (a bank that hangs) still ends in time when it is begun with so much left. */
const beginsAboveMs = 15_000;
/** The run ends with so much left, whatever still hangs: its counts must be written down. */
const endsAtMs = 3000;
/** Pieces at once, of one company at once, and of one company in a run. */
const limits = { width: 32, perGroup: 4, cap: 2000 };

/** Whether a run may begin nothing more: what is left is found by the next one. */
export function isTimeUp({ remainingMs }: Pick<DueRun, 'remainingMs'>): boolean {
  return remainingMs() < beginsAboveMs;
}

/**
 * Does all work of a kind that is due, fairly between companies, until there is none or the time is up. `work` reads
 * the item itself and decides whether anything is left to do; what it throws is counted, told, and found due again by
 * the next run.
 *
 * @param until what counts as due: `now` unless given
 * @param perCompany pieces of one company in this run
 * @param found takes the place of the due index, for a run that looks at more than what is due
 */
export async function workDue(
  run: DueRun,
  options: {
    readonly kind: DueKind;
    readonly until?: Instant;
    readonly perCompany?: number;
    readonly found?: AsyncIterable<DueWork>;
  },
  work: (one: DueWork) => Promise<void>,
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
    for await (const one of dueInRealTime(run.store, kind, options.found ?? index)) {
      count.found += 1;
      if (one.dueAt < oldest) oldest = one.dueAt;
      yield one;
    }
  }
  const pooled = workFairly(counted(), {
    ...limits,
    cap,
    groupOf: ({ companyId }) => companyId,
    isTimeUp: () => isTimeUp(run),
    work: async (one) => {
      count.begun += 1;
      underWay.add(one);
      await work(one).finally(() => underWay.delete(one));
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

/** A piece of work hung until the run had to end. Its writes are conditional: what is left of it does no harm. */
class NotFinished extends Error {
  override readonly name = 'NotFinished';
}

async function untilTimeIsOver({ remainingMs }: DueRun, work: Promise<void>): Promise<void> {
  const left = remainingMs() - endsAtMs;
  if (left === Infinity) return work;
  const ended = new AbortController();
  const over = sleep(Math.max(0, left), undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([work, over]);
  ended.abort();
}
