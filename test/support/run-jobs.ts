import type { JobRun } from '#shared/jobs/job-worker.ts';
import { doJob } from '#shared/jobs/job-worker.ts';
import type { JobKind } from '#shared/jobs/jobs.ts';
import { jobs } from '#shared/jobs/every-job.ts';
import type { DueFamily, DueKind } from '#shared/platform/jobs/due-kinds.ts';
import { dueFamilies, familyOf, jobsAtOnce, maxJobWorkers } from '#shared/platform/jobs/due-kinds.ts';
import type { DueMessage, DueQueue, EnqueueOptions } from '#shared/platform/jobs/due-queue.ts';
import { enqueueDue } from '#shared/platform/jobs/due-queue.ts';
import type { DoJob } from '#shared/platform/jobs/due-worker.ts';
import { workJobs } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import type { CountSums } from '#shared/platform/jobs/scheduled-worker.ts';
import { addCounts } from '#shared/platform/jobs/scheduled-worker.ts';
import type { MetricBy } from '#shared/platform/metrics.ts';

/**
 * Does what a minute of a worker does: sends the due jobs of a family to a queue, which is empty, and does them. With
 * `kinds` only jobs of these are done.
 */
export async function workFamily(
  run: DueRun,
  family: DueFamily,
  doOne: DoJob,
  { kinds = dueFamilies[family], ...options }: EnqueueOptions & { readonly kinds?: readonly DueKind[] } = {},
) {
  const waiting: DueMessage[] = [];
  const queue: DueQueue = {
    isEmpty: () => Promise.resolve(true),
    send: (batch) => {
      waiting.push(...batch.filter(({ kind }) => kinds.includes(kind)));
      return Promise.resolve(0);
    },
  };
  const sent = await enqueueDue(run, family, queue, options);
  const { failed, count } = await workQueued(run, waiting, doOne);
  return { jobs: waiting, failed: sent.failed + failed, due: sent.due, count };
}

/** Does the jobs of a queue, as many at once as are received at once. */
export async function workQueued(run: DueRun, queued: readonly DueMessage[], doOne: DoJob) {
  const counts: CountSums = {};
  let failed = 0;
  const batches = Array.from({ length: Math.ceil(queued.length / jobsAtOnce) }, (_, at) =>
    queued.slice(at * jobsAtOnce, (at + 1) * jobsAtOnce),
  ).values();
  const work = async (): Promise<void> => {
    for (const batch of batches) {
      const done = await workJobs(run, batch, doOne);
      failed += done.failed;
      for (const more of Object.values(done.counts)) addCounts(counts, more);
    }
  };
  await Promise.all(Array.from({ length: maxJobWorkers }, work));
  return { failed, count: (name: MetricBy<'worker'>): number => counts[name] ?? 0 };
}

/** Does the due jobs about the bank of these kinds, one stage after the other, as one minute follows another. */
export async function runCounted(run: JobRun, stages: readonly (readonly JobKind[])[]) {
  const due: Partial<Record<JobKind, Awaited<ReturnType<typeof workFamily>>>> = {};
  for (const kinds of stages)
    await Promise.all(
      kinds.map(async (kind) => {
        due[kind] = await workFamily(run, familyOf[kind], (_run, job) => doJob(run, jobs, job), { kinds: [kind] });
      }),
    );
  const reports = Object.values(due);
  return {
    due,
    count: (name: MetricBy<'worker'>): number => reports.reduce((sum, report) => sum + report.count(name), 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
  };
}
