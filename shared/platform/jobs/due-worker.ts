import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { env } from '../env.ts';
import { log } from '../log.ts';
import { queueWorker } from '../queue-worker.ts';
import { messagesWaiting, sendMessages } from '../sqs.ts';
import type { DueFamily, DueKind } from './due-kinds.ts';
import { dueQueueVariable } from './due-kinds.ts';
import type { DueMessage, DueQueue, Enqueued, EnqueueOptions } from './due-queue.ts';
import { enqueueDue, parseDueMessage, senderTo } from './due-queue.ts';
import type { DueRun } from './run.ts';
import { NotFinished, untilTimeIsOver } from './run.ts';
import type { CountSums, JobCounts, RunReport } from './scheduled-worker.ts';
import { addCounts, dueRun, emitJobCounts, scheduledWorker } from './scheduled-worker.ts';
import type { WorkerName } from './worker-names.ts';

/** The result of a job. An error that it throws is reported, and the job is done again later. */
export type JobDone = {
  readonly counts?: JobCounts;
  /** It failed, has said so in the log, and is due again by itself. */
  readonly isFailed?: boolean;
  /** Its time was over: it is continued at once. */
  readonly isLeft?: boolean;
  /** Runs after every job of the batch: a bank that hangs delays none of them. */
  readonly followUp?: () => Promise<unknown>;
};
export type DoJob = (run: DueRun, job: DueMessage) => Promise<JobDone>;

type DueJobs = {
  /** The family whose queue this worker reads. */
  readonly family: DueFamily;
  readonly doJob: DoJob;
  /** The families whose due jobs a run of the schedule sends to that queue. Default: the worker's own. */
  readonly sendsAt?: (at: Instant) => readonly DueFamily[];
  readonly optionsOf?: (run: DueRun, event: unknown) => EnqueueOptions;
  /** What a run of the schedule also does, after it has sent jobs. */
  readonly alsoDo?: (run: DueRun, sent: { readonly queued: number }, event: unknown) => Promise<JobCounts>;
};

/** The message of a failed job is received so often. Then it is removed: a run of the schedule sends the job again. */
const mostReceives = 3;
/** Seconds until a message is received again: of a job that was not finished in time, and of one that failed. */
const hiddenFor = { NOW: 1, LATER: 60 } as const;

/**
 * The Lambda handler of a worker of due jobs. Its schedule sends the jobs that are due to the worker's queue, and the
 * queue calls it with batches of them.
 */
export function dueWorker(
  worker: WorkerName,
  jobs: DueJobs,
): (event: unknown, context: Context) => Promise<RunReport | readonly string[] | SQSBatchResponse> {
  const { family, doJob, sendsAt = () => [family], optionsOf = () => ({}), alsoDo = () => Promise.resolve({}) } = jobs;
  const url = (): string => env(dueQueueVariable(family));
  const queue: DueQueue = { isEmpty: async () => (await messagesWaiting(url())) === 0, send: sendTo(url) };
  const schedule = scheduledWorker(worker, async (run, event) => {
    const reports: Enqueued[] = [];
    for (const sent of sendsAt(run.now())) reports.push(await enqueueDue(run, sent, queue, optionsOf(run, event)));
    const sum = (field: 'queued' | 'failed'): number => reports.reduce((total, report) => total + report[field], 0);
    let failed = sum('failed');
    const counts = await alsoDo(run, { queued: sum('queued') }, event).catch((error: unknown): JobCounts => {
      failed += 1;
      run.failed({}, error);
      return {};
    });
    return {
      counts,
      failed,
      due: reports.reduce((all: Enqueued['due'], { due }) => ({ ...all, ...due }), {}),
    };
  });
  const consume = queueWorker(async (records, hide, context) => {
    const kept = await workBatch(worker, records, dueRun(worker, context), doJob);
    await Promise.all(kept.map(({ record, again }) => hide(record, hiddenFor[again])));
    return kept.map(({ record }) => record.messageId);
  }, url);
  return (event, context) => (isFromQueue(event) ? consume(event, context) : schedule(event, context));
}

function sendTo(url: () => string): DueQueue['send'] {
  return async (batch) => {
    const messages = batch.map((job) => ({ body: job, companyId: job.companyId }));
    return (await sendMessages(url(), messages)).size;
  };
}

/** Sends jobs that are due at once to their queue. A run of the schedule sends those that the queue does not take. */
export async function sendDue(family: DueFamily, jobs: readonly DueMessage[]): Promise<void> {
  const sender = senderTo({ send: sendTo(() => env(dueQueueVariable(family))) }, () => undefined);
  for (const job of jobs) await sender.add(job);
  await sender.end();
}

const FromQueue = z.object({ Records: z.array(z.object({ eventSource: z.literal('aws:sqs') })).min(1) });

/** Whether SQS called the function. */
function isFromQueue(event: unknown): event is SQSEvent {
  return FromQueue.safeParse(event).success;
}

/** Does the jobs of a batch. Returns the messages to receive again, and when. */
async function workBatch(worker: WorkerName, records: readonly SQSRecord[], run: DueRun, doJob: DoJob) {
  const messages = records.flatMap((record) => {
    const job = parseDueMessage(record.body);
    if (job === undefined) log('error', 'Removed a malformed SQS message', { worker, messageId: record.messageId });
    return job === undefined ? [] : [{ record, job }];
  });
  const { failed, counts, again } = await workJobs(
    run,
    messages.map(({ job }) => job),
    doJob,
  );
  emitJobCounts(worker, failed + records.length - messages.length, counts);
  return messages.flatMap(({ job, record }) => {
    const when = again.get(job);
    const isLast = Number(record.attributes.ApproximateReceiveCount) >= mostReceives;
    return when === undefined || (when === 'LATER' && isLast) ? [] : [{ record, again: when }];
  });
}

/** The result of several jobs: errors, counts by kind, and the jobs that were not finished. */
type JobsDone = {
  readonly failed: number;
  readonly counts: Readonly<Partial<Record<DueKind, JobCounts>>>;
  readonly again: ReadonlyMap<DueMessage, 'NOW' | 'LATER'>;
};

/** Does jobs concurrently, then what follows from them. Ends before the run's time is over, even if a job hangs. */
export async function workJobs(run: DueRun, jobs: readonly DueMessage[], doJob: DoJob): Promise<JobsDone> {
  const counts: Partial<Record<DueKind, CountSums>> = {};
  const again = new Map<DueMessage, 'NOW' | 'LATER'>();
  const underWay = new Set(jobs);
  const followUps = new Map<DueMessage, () => Promise<unknown>>();
  let failed = 0;
  const lost = ({ kind, companyId, id }: DueMessage, error: unknown): void => {
    failed += 1;
    run.failed({ kind, companyId, id }, error);
  };
  const attempt = async (job: DueMessage, work: () => Promise<unknown>): Promise<void> => {
    underWay.add(job);
    try {
      await work();
    } catch (error) {
      again.set(job, 'LATER');
      lost(job, error);
    } finally {
      underWay.delete(job);
    }
  };
  const first = (job: DueMessage): Promise<void> =>
    attempt(job, async () => {
      const done = await doJob(run, job);
      if (done.counts) addCounts((counts[job.kind] ??= {}), done.counts);
      if (done.isLeft === true) again.set(job, 'NOW');
      if (done.isFailed === true) failed += 1;
      if (done.followUp) followUps.set(job, done.followUp);
    });
  const all = async (): Promise<void> => {
    await Promise.all(jobs.map(first));
    await Promise.all([...followUps].map(([job, followUp]) => attempt(job, followUp)));
  };
  await untilTimeIsOver(run, all());
  for (const job of underWay) {
    again.set(job, 'LATER');
    lost(job, new NotFinished());
  }
  return { failed, counts, again };
}
