import type { JobRun } from '#shared/jobs/job-worker.ts';
import { runJobs } from '#shared/jobs/job-worker.ts';
import type { MetricBy } from '#shared/platform/metrics.ts';

/** A run of a worker, with its counts by metric and its failures over all kinds. */
export async function runCounted(run: JobRun, stages: Parameters<typeof runJobs>[1]) {
  const due = await runJobs(run, stages);
  const reports = Object.values(due);
  return {
    due,
    count: (name: MetricBy<'worker'>): number => reports.reduce((sum, { counts }) => sum + (counts?.[name] ?? 0), 0),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
  };
}
