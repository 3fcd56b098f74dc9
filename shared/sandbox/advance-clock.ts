import type { Clock, Instant } from '../core/brasilia-time.ts';
import { millisecondsBetween } from '../core/brasilia-time.ts';
import type { DueJobsResult, ClockJob, ClockReading } from './clock.ts';
import { clockAhead, clockJobKinds, clockJobResources, jobsAtMost, companyTime } from './clock.ts';
import { deliveriesBegunBy } from '../platform/outbox/delivery-items.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import { dueOf, resourceIdOf } from '../platform/jobs/due.ts';
import type { CompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import type { Store, Item } from '../platform/table/store.ts';
import { errorFields, log } from '../platform/log.ts';
import { clockAdvanceDone, parseClockAdvance, parseOffsetMs } from './clock-store.ts';
import { keys } from '../platform/table/keys.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { JobContext } from '../jobs/jobs.ts';
import { jobs as jobsOfKinds } from '../jobs/every-job.ts';

type Job = DueWork & { readonly kind: CompanyTimeKind };

const countedAtMost = 1000;
/** Entries read to find the next job: more than one only while the index still shows finished jobs. */
const lookAhead = 10;

/**
 * Runs a company's due jobs up to a time of its clock, in the order of their due times, each at its due time. Jobs that
 * another job makes due run too. Writes are conditional, so two concurrent calls run each job once. A job that fails is
 * logged and not retried in this call. The first job runs in any case, so that repeated calls come to an end.
 * @returns the jobs of this call in that order, and the number of due jobs that did not begin, up to `countedAtMost`
 */
export async function runDueJobs(context: Omit<JobContext, 'now'>, until: Instant): Promise<DueJobsResult> {
  const { store, companyId, mayGoOn, realNow } = context;
  const current = clockAhead(realNow, millisecondsBetween(realNow(), until));
  const done = new Set<string>();
  // The index is eventually consistent: it may show finished jobs.
  const isOpen = (job: Job): boolean => !done.has(entryOf(job)) && !done.has(pieceOf(job));
  const jobs: ClockJob[] = [];
  while (jobs.length === 0 || (jobs.length < jobsAtMost && mayGoOn())) {
    const job = await nextJob({ store, companyId, until }, isOpen);
    if (job === undefined) return { jobs, remaining: 0 };
    const deliveryIds: string[] = [];
    const end = await run({ ...context, store: watched(store, deliveryIds) }, job, current);
    jobs.push({ kind: job.kind, resource: { type: clockJobResources[job.kind], id: resourceIdOf(job) }, deliveryIds });
    if (end === 'LEFT') break;
    done.add(end === 'FAILED' ? pieceOf(job) : entryOf(job));
  }
  return { jobs, remaining: await countDue({ store, companyId, until }, isOpen) };
}

/** The store of one job, which collects the deliveries of its own transactions. */
function watched(store: Store, deliveryIds: string[]): Store {
  const write: Store['write'] = async (writes, ...more) => {
    const outcome = await store.write(writes, ...more);
    if (outcome.ok) deliveryIds.push(...deliveriesBegunBy(writes));
    return outcome;
  };
  return { ...store, write };
}

async function run(context: Omit<JobContext, 'now'>, job: Job, current: Clock): Promise<'ENDED' | 'FAILED' | 'LEFT'> {
  const { kind, id, companyId } = job;
  const requestId = context.ids.uuid();
  try {
    const { end, followUp } = await jobsOfKinds[kind]({ ...context, requestId, now: clockOf(job, current) }, id);
    await followUp?.();
    return end;
  } catch (error) {
    log('error', 'Due work failed', { kind, companyId, id, requestId, ...errorFields(error) });
    return 'FAILED';
  }
}

/**
 * Returns the clock of a job, which stands at its due time. A charge command stays due until it has a response, so only
 * the current time shows whether its deadline has passed.
 */
function clockOf({ kind, dueAt }: Job, current: Clock): Clock {
  return kind === 'CHARGE_COMMAND' ? current : () => dueAt;
}

type Search = { readonly store: Store; readonly companyId: string; readonly until: Instant };

async function* openJobs(
  { store, companyId, until }: Search,
  kind: CompanyTimeKind,
  isOpen: (job: Job) => boolean,
  limit?: number,
): AsyncGenerator<Job, void, void> {
  for await (const work of dueOf(store, companyId, kind, until, limit))
    if (isOpen({ ...work, kind })) yield { ...work, kind };
}

async function nextJob(search: Search, isOpen: (job: Job) => boolean): Promise<Job | undefined> {
  const firsts = await Promise.all(
    clockJobKinds.map(async (kind) => (await openJobs(search, kind, isOpen, lookAhead).next()).value ?? []),
  );
  return firsts
    .flat()
    .reduce<Job | undefined>((first, job) => (first && first.dueAt <= job.dueAt ? first : job), undefined);
}

async function countDue(search: Search, isOpen: (job: Job) => boolean = () => true): Promise<number> {
  let count = 0;
  for (const kind of clockJobKinds)
    for await (const _job of openJobs(search, kind, isOpen)) {
      count += 1;
      if (count >= countedAtMost) return count;
    }
  return count;
}

function pieceOf({ kind, id }: Job): string {
  return `${kind}#${id}`;
}

/** A postponed job is another entry: it runs again at its new time. */
function entryOf(job: Job): string {
  return `${pieceOf(job)}#${job.dueAt}`;
}

/** The result of a call that advanced a clock. */
type AdvanceResult = { readonly clock: ClockReading; readonly done: DueJobsResult; readonly replayed: boolean };
/** Without `runsJobs` another worker runs the jobs that an advance makes due. */
type AdvanceContext = Omit<JobContext, 'now'> & { readonly runsJobs: boolean };

/**
 * Runs the jobs that an advance made due. With the `id` of an advance the result is stored: all calls with its
 * idempotency key return the result of the call that ended first.
 */
export async function finishAdvance(
  context: AdvanceContext,
  id: string | undefined,
  clock: ClockReading,
  until: Instant = clock.now,
): Promise<AdvanceResult> {
  const { store, companyId } = context;
  const done = context.runsJobs
    ? await runDueJobs(context, until)
    : { jobs: [], remaining: await countDue({ store, companyId, until }) };
  if (id === undefined) return { clock, done, replayed: false };
  const kept = await store.writeOne(clockAdvanceDone(companyId, id, done));
  if (kept.ok) return { clock, done, replayed: false };
  const first = parseClockAdvance(requireAdvance(kept.failed[0]?.item)).done;
  if (first === undefined) throw new CorruptItem('A finished clock advance has no result.');
  return { clock, done: first, replayed: true };
}

/** Returns the stored result of an advance. If its call crashed or is still running, runs the due jobs instead. */
export async function repeatAdvance(context: AdvanceContext, id: string): Promise<AdvanceResult> {
  const { store, companyId, realNow } = context;
  const [item, clockItem] = await store.read([keys.clockAdvance(companyId, id), keys.companyClock(companyId)]);
  const { done, ...clock } = parseClockAdvance(requireAdvance(item));
  if (done !== undefined) return { clock, done, replayed: true };
  // After a reset of the clock fewer jobs are due than the advance made due.
  const current = companyTime(realNow(), parseOffsetMs(clockItem));
  return finishAdvance(context, id, clock, current < clock.now ? current : clock.now);
}

function requireAdvance(item: Item | undefined): Item {
  if (item === undefined) throw new CorruptItem('Cannot find a clock advance.');
  return item;
}
