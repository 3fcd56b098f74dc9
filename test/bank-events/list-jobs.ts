import type { BankEventDependencies } from '#shared/bank-events/context.ts';
import { beginReadings, beginsReadings, workListJob } from '#shared/bank-events/work-lists.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { enqueueDue } from '#shared/platform/jobs/due-queue.ts';
import type { JobDone } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { workQueued } from '../support/run-jobs.ts';

type Options = {
  /** How often a message comes: 0, it is lost. */
  readonly copies?: () => number;
  /** What is left to an invocation that the queue calls. A job that is under way in the end has hung. */
  readonly batchMs?: number;
};

/** The worker of the bank's lists: its schedule and its queue, minute by minute. */
export function listWorker(
  run: Omit<DueRun, 'now'>,
  deps: BankEventDependencies,
  clock: { now: Instant },
  { copies = () => 1, batchMs = Infinity }: Options = {},
) {
  const done: string[] = [];
  const runNow = { ...run, now: (): Instant => clock.now };
  const waiting: DueWork[] = [];
  const send = (jobs: readonly DueWork[]): Promise<number> => {
    waiting.push(...jobs.flatMap((job) => Array.from({ length: copies() }, () => job)));
    return Promise.resolve(0);
  };
  const doOne = async (_run: DueRun, job: DueWork): Promise<JobDone> => {
    done.push(`${job.kind} ${job.companyId}`);
    return workListJob(runNow, { ...deps, send }, job);
  };
  const sum = { failed: 0, missed: 0, lateSeconds: 0 };
  const minute = async (): Promise<void> => {
    const { due, failed } = await enqueueDue(runNow, 'BANK_LISTS', { isEmpty: () => Promise.resolve(true), send });
    sum.failed += failed;
    sum.lateSeconds = Math.max(sum.lateSeconds, ...Object.values(due).map(({ lateSeconds }) => lateSeconds));
    if (beginsReadings(clock.now)) await beginReadings(runNow, send);
    while (waiting.length > 0) {
      const worked = await workQueued({ ...runNow, remainingMs: () => batchMs }, waiting.splice(0), doOne);
      sum.failed += worked.failed;
      sum.missed += worked.count('MissedByCallback');
    }
    clock.now = plusSeconds(clock.now, 60);
  };
  return {
    /** The jobs that were begun, by kind and company. */
    done,
    sum,
    /** So many minutes, one after the other. */
    minutes: async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) await minute();
    },
  };
}
