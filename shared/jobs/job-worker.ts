import type { Instant } from '../core/brasilia-time.ts';
import { timeToSubmit } from '../core/resubmission.ts';
import type { Ids } from '../core/identifiers.ts';
import type { BankSettings } from '../platform/settings.ts';
import { bankSettings } from '../platform/settings.ts';
import { randomIds } from '../platform/ids.ts';
import { log } from '../platform/log.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import type { KindReport } from '../platform/jobs/due-worker.ts';
import { addCounts, dueWorker } from '../platform/jobs/due-worker.ts';
import type { DueRun } from '../platform/jobs/work-due.ts';
import { isTimeUp, workDue } from '../platform/jobs/work-due.ts';
import type { WorkerName } from '../platform/jobs/worker-names.ts';
import type { CountSums } from '../platform/jobs/due-worker.ts';
import type { Store } from '../platform/table/store.ts';
import type { JobBank, JobContext, JobKind } from './jobs.ts';
import { jobs } from './jobs.ts';

export type JobRun = DueRun & { readonly bank: JobBank; readonly ids: Ids };
/** Stages run one after the other; the kinds of one stage run concurrently. */
export type Stages = readonly (readonly JobKind[])[];

/** Kept for the writes after the bank's last response, milliseconds. */
const reservedMs = 6000;

/**
 * The handler of a worker that runs every minute.
 * @param bankOf the ports that its jobs use
 * @param stagesAt the kinds that a run at this time does
 */
export function jobHandler(
  worker: WorkerName,
  bankOf: (store: Store, settings: BankSettings, ids: Ids) => JobBank,
  stagesAt: (at: Instant) => Stages,
): ReturnType<typeof dueWorker> {
  return dueWorker(worker, async (run) => {
    const bank = bankOf(run.store, bankSettings(), randomIds);
    return { due: await runJobs({ ...run, bank, ids: randomIds }, stagesAt(run.now())) };
  });
}

/** Runs the due jobs of these kinds. A later run repeats a failed job. */
export async function runJobs(run: JobRun, stages: Stages): Promise<Partial<Record<JobKind, KindReport>>> {
  const due: Partial<Record<JobKind, KindReport>> = {};
  for (const kinds of stages)
    await Promise.all(
      kinds.map(async (kind) => {
        due[kind] = await runKind(run, kind);
      }),
    );
  return due;
}

async function runKind(run: JobRun, kind: JobKind): Promise<KindReport> {
  const counts: CountSums = {};
  const followUps = new Map<DueWork, () => Promise<unknown>>();
  let failed = 0;
  const due = await workDue(run, { kind }, async (work) => {
    const { companyId, id } = work;
    const { end, counts: more = {}, followUp } = await jobs[kind](contextOf(run, companyId), id);
    addCounts(counts, more);
    if (end === 'FAILED') {
      failed += 1;
      log('warn', 'Bank did not confirm a command', { kind, companyId, id });
    }
    if (followUp) followUps.set(work, followUp);
  });
  if (followUps.size > 0) {
    const followed = await workDue(run, { kind, found: iterate([...followUps.keys()]) }, async (work) => {
      await followUps.get(work)?.();
    });
    failed += followed.failed;
  }
  return { ...due, failed: due.failed + failed, counts };
}

function contextOf(run: JobRun, companyId: string): JobContext {
  const { store, ids, now, bank } = run;
  return {
    store,
    ids,
    now,
    bank,
    companyId,
    realNow: now,
    requestId: ids.uuid(),
    remainingMs: timeToSubmit(() => run.remainingMs() - reservedMs),
    mayGoOn: () => !isTimeUp(run),
  };
}

async function* iterate<T>(all: readonly T[]): AsyncGenerator<T, void, void> {
  yield* await Promise.resolve(all);
}
