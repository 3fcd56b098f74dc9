import type { Context } from 'aws-lambda';
import type { DueCount, DueRun } from './work-due.ts';
import { connectStore } from '../table/dynamo-store.ts';
import type { DueKind } from './due-kinds.ts';
import type { Store } from '../table/store.ts';
import { nowMs, systemClock } from '../clock.ts';
import { env } from '../env.ts';
import { errorFields, log } from '../log.ts';
import type { Metric, MetricBy, MetricName } from '../metrics.ts';
import { emit, metricsBy } from '../metrics.ts';
import type { WorkerName } from './worker-names.ts';

/** Counts by metric. */
export type JobCounts = Readonly<CountSums>;
export type CountSums = Partial<Record<MetricBy<'worker'>, number>>;
export type KindReport = DueCount & { readonly counts?: JobCounts };
/** The result of a run: counts, failures and pending work of no kind, and the result of each kind. */
type DueReport = {
  readonly counts?: JobCounts;
  readonly failed?: number;
  readonly pending?: number;
  readonly due: Readonly<Partial<Record<DueKind, KindReport>>>;
};

type Handler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<DueReport>;

/**
 * The Lambda handler of a worker that runs every minute. Metrics by `worker`: its counts, `JobsFailed`, `JobsPending`;
 * by `kind`: its counts and `OldestJobAge`, seconds.
 */
export function dueWorker(worker: WorkerName, work: (run: DueRun, event: unknown) => Promise<DueReport>): Handler {
  let store: Store | undefined;
  return async (event, context) => {
    const report = await work(
      {
        store: (store ??= connectStore(env('TABLE_NAME'))),
        now: systemClock,
        random: Math.random,
        remainingMs: () => context.getRemainingTimeInMillis(),
        failed: (where, error) => {
          log('error', 'Due work failed', { worker, ...where, ...errorFields(error) });
        },
      },
      event,
    );
    const kinds = Object.entries(report.due);
    const sum = (field: 'failed' | 'pending'): number => kinds.reduce((total, [, count]) => total + count[field], 0);
    const counts: CountSums = { ...report.counts };
    for (const [, { counts: more = {} }] of kinds) addCounts(counts, more);
    counts.JobsFailed = sum('failed') + (report.failed ?? 0);
    counts.JobsPending = sum('pending') + (report.pending ?? 0);
    if (Object.values(counts).some((value) => value > 0)) log('info', 'Due work finished', { worker, ...counts });
    emit(nowMs(), 'worker', { worker }, metricsOf(metricsBy('worker'), counts));
    for (const [kind, { lateSeconds, counts: ofKind = {} }] of kinds) {
      const lateness = { name: 'OldestJobAge', unit: 'Seconds', value: lateSeconds } as const;
      emit(nowMs(), 'kind', { kind }, [lateness, ...metricsOf<MetricBy<'kind'>>(metricsBy('kind'), ofKind)]);
    }
    return report;
  };
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
