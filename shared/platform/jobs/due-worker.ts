import type { Context } from 'aws-lambda';
import type { DueCount, DueRun } from './work-due.ts';
import { connectStore } from '../table/dynamo-store.ts';
import type { DueKind } from './due-kinds.ts';
import type { Store } from '../table/store.ts';
import { nowMs, systemClock } from '../clock.ts';
import { env } from '../env.ts';
import { errorFields, log } from '../log.ts';
import type { Metric, MetricName } from '../metrics.ts';
import { emit, metricNames } from '../metrics.ts';
import type { WorkerName } from './worker-names.ts';

/**
 * What a run did: counts by the name of their metric, failures that belong to no due work, and the result for each
 * kind.
 */
type DueReport = {
  readonly counts: Readonly<Partial<Record<MetricName, number>>>;
  readonly failed?: number;
  readonly due: Readonly<Partial<Record<DueKind, DueCount>>>;
};

type Handler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<DueReport>;

/**
 * The Lambda handler of a worker that runs every minute. Its metrics by `worker`: its own counts, `WorkFailed` and
 * `WorkLeft`; by `kind`: `DueLateness`, seconds, of the oldest work that was due.
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
          log('error', 'due work failed', { worker, ...where, ...errorFields(error) });
        },
      },
      event,
    );
    const kinds = Object.entries(report.due);
    const sum = (of: 'failed' | 'left'): number => kinds.reduce((total, [, count]) => total + count[of], 0);
    const counts: DueReport['counts'] = {
      ...report.counts,
      WorkFailed: sum('failed') + (report.failed ?? 0),
      WorkLeft: sum('left'),
    };
    if (Object.values(counts).some((value) => value > 0)) log('info', 'due work done', { worker, ...counts });
    const metrics = metricNames.flatMap((name): Metric[] => {
      const value = counts[name];
      return value === undefined ? [] : [{ name, unit: 'Count', value }];
    });
    emit(nowMs(), { worker }, metrics);
    for (const [kind, { lateSeconds }] of kinds)
      emit(nowMs(), { kind }, [{ name: 'DueLateness', unit: 'Seconds', value: lateSeconds }]);
    return report;
  };
}
