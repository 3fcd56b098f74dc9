import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/core/brasilia-time.ts';
import type { Store } from '../table/store.ts';
import type { DueKind } from './due-kinds.ts';

/** Dependencies of a run of a worker. */
export type DueRun = {
  readonly store: Store;
  readonly now: Clock;
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

/** Milliseconds that the slowest job needs (at a bank that hangs): no job begins with less time left. */
const beginsAboveMs = 15_000;
/** Milliseconds left when the run ends, even if a job hangs: its counts must still be written. */
export const endsAtMs = 3000;

/** Whether no more jobs may begin. The next run finds the others. */
export function isTimeUp({ remainingMs }: Pick<DueRun, 'remainingMs'>): boolean {
  return remainingMs() < beginsAboveMs;
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
