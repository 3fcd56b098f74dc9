import type { Instant } from '../core/brasilia-time.ts';
import { timeToSubmit } from '../core/resubmission.ts';
import type { Ids } from '../core/identifiers.ts';
import type { BankSettings } from '../platform/settings.ts';
import { bankSettings } from '../platform/settings.ts';
import { randomIds } from '../platform/ids.ts';
import { log } from '../platform/log.ts';
import type { DueFamily, DueKind } from '../platform/jobs/due-kinds.ts';
import type { DueMessage } from '../platform/jobs/due-queue.ts';
import type { JobDone } from '../platform/jobs/due-worker.ts';
import { dueWorker } from '../platform/jobs/due-worker.ts';
import type { DueRun } from '../platform/jobs/run.ts';
import { isTimeUp } from '../platform/jobs/run.ts';
import type { WorkerName } from '../platform/jobs/worker-names.ts';
import type { Store } from '../platform/table/store.ts';
import type { Job, JobBank, JobContext } from './jobs.ts';

export type JobRun = DueRun & { readonly bank: JobBank; readonly ids: Ids };
/** The kinds that a worker does, each with its function. */
type OwnJobs = Readonly<Partial<Record<DueKind, Job>>>;

/** Kept for the writes after the bank's last response, milliseconds. */
const reservedMs = 6000;

/**
 * The handler of a worker of due jobs about the bank.
 * @param jobs the kinds of its family, and of others whose jobs it gets
 * @param bankOf the ports that its jobs use
 * @param sendsAt the families whose due jobs a run at this time sends to the worker's queue; its own by default
 */
export function jobHandler(
  worker: WorkerName,
  family: DueFamily,
  jobs: OwnJobs,
  bankOf: (store: Store, settings: BankSettings, ids: Ids) => JobBank,
  sendsAt?: (at: Instant) => readonly DueFamily[],
): ReturnType<typeof dueWorker> {
  let bank: JobBank | undefined;
  return dueWorker(worker, {
    family,
    ...(sendsAt && { sendsAt }),
    doJob: (run, job) => {
      bank ??= bankOf(run.store, bankSettings(), randomIds);
      return doJob({ ...run, bank, ids: randomIds }, jobs, job);
    },
  });
}

/** Does one job about the bank. A command that the bank did not confirm is due again by itself. */
export async function doJob(run: JobRun, jobs: OwnJobs, { kind, companyId, id }: DueMessage): Promise<JobDone> {
  const job = jobs[kind];
  if (job === undefined) throw new TypeError(`This worker does no jobs of the kind ${kind}.`);
  const { end, counts, followUp } = await job(contextOf(run, companyId), id);
  if (end === 'FAILED') log('warn', 'Bank did not confirm a command', { kind, companyId, id });
  return {
    ...(counts && { counts }),
    ...(followUp && { followUp }),
    isFailed: end === 'FAILED',
    isLeft: end === 'LEFT',
  };
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
