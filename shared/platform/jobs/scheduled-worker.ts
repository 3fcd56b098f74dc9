import type { Context } from 'aws-lambda';
import { connectStore } from '../table/dynamo-store.ts';
import type { DueKind } from './due-kinds.ts';
import type { Store } from '../table/store.ts';
import { nowMs, systemClock } from '../clock.ts';
import { env } from '../env.ts';
import { errorFields, log } from '../log.ts';
import type { Metric, MetricBy, MetricName } from '../metrics.ts';
import { emit, metricsBy } from '../metrics.ts';
import type { DueRun } from './run.ts';
import type { WorkerName } from './worker-names.ts';

/** Counts by metric. */
export type JobCounts = Readonly<CountSums>;
export type CountSums = Partial<Record<MetricBy<'worker'>, number>>;
/** The result of a run of a schedule: its counts, failures, what it left for later, and the due jobs by kind. */
export type RunReport = {
  readonly counts?: JobCounts;
  readonly failed?: number;
  readonly pending?: number;
  readonly due?: Readonly<Partial<Record<DueKind, { readonly pending: number; readonly lateSeconds: number }>>>;
};

type WorkerContext = Pick<Context, 'getRemainingTimeInMillis'>;
type ScheduledHandler = (event: unknown, context: WorkerContext) => Promise<RunReport>;

let store: Store | undefined;

/** The dependencies of a run of a worker. */
export function dueRun(worker: WorkerName, context: WorkerContext): DueRun {
  return {
    store: (store ??= connectStore(env('TABLE_NAME'))),
    now: systemClock,
    remainingMs: () => context.getRemainingTimeInMillis(),
    failed: (where, error) => {
      log('error', 'Due work failed', { worker, ...where, ...errorFields(error) });
    },
  };
}

/**
 * The Lambda handler of a worker that a schedule runs. Metrics by `worker`: its counts, `JobsFailed`, `JobsPending`; by
 * `kind`: `OldestJobAge`, seconds.
 */
export function scheduledWorker(
  worker: WorkerName,
  work: (run: DueRun, event: unknown) => Promise<RunReport>,
): ScheduledHandler {
  return async (event, context) => {
    const report = await work(dueRun(worker, context), event);
    const kinds = Object.entries(report.due ?? {});
    const pending = kinds.reduce((total, [, count]) => total + count.pending, report.pending ?? 0);
    const counts = { ...report.counts, JobsFailed: report.failed ?? 0, JobsPending: pending };
    if (Object.values(counts).some((value) => value > 0)) log('info', 'Due work finished', { worker, ...counts });
    emit(nowMs(), 'worker', { worker }, metricsOf(metricsBy('worker'), counts));
    for (const [kind, { lateSeconds: value }] of kinds)
      emit(nowMs(), 'kind', { kind }, [{ name: 'OldestJobAge', unit: 'Seconds', value }]);
    return report;
  };
}

/** Writes the counts of jobs, by their worker and by their kind. */
export function emitJobCounts(
  worker: WorkerName,
  failed: number,
  counts: Readonly<Partial<Record<DueKind, JobCounts>>>,
): void {
  const all: CountSums = failed > 0 ? { JobsFailed: failed } : {};
  for (const ofKind of Object.values(counts)) addCounts(all, ofKind);
  if (Object.keys(all).length > 0) emit(nowMs(), 'worker', { worker }, metricsOf(metricsBy('worker'), all));
  for (const [kind, ofKind] of Object.entries(counts)) {
    const found = metricsOf<MetricBy<'kind'>>(metricsBy('kind'), ofKind);
    if (found.length > 0) emit(nowMs(), 'kind', { kind }, found);
  }
}

export function addCounts(sums: CountSums, more: JobCounts): void {
  for (const name of metricsBy('worker')) if (more[name] !== undefined) sums[name] = (sums[name] ?? 0) + more[name];
}

function metricsOf<Name extends MetricName>(
  names: readonly Name[],
  counts: Readonly<Partial<Record<Name, number>>>,
): readonly Metric<Name>[] {
  return names.flatMap((name): Metric<Name>[] => {
    const value = counts[name];
    return value === undefined ? [] : [{ name, unit: 'Count', value }];
  });
}
