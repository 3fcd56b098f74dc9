import type { Clock, Instant } from '../core/brasilia-time.ts';
import { millisecondsBetween } from '../core/brasilia-time.ts';
import type { DueJobsResult, ClockJob, ClockReading } from './clock.ts';
import { clockAhead, clockJobKinds, clockJobResources, jobsAtMost, companyTime } from './clock.ts';
import { deliveriesBegunBy } from '../platform/outbox/delivery-items.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import { dueOf } from '../platform/jobs/due.ts';
import type { CompanyTimeKind } from '../platform/jobs/due-kinds.ts';
import type { Store, Item } from '../platform/table/store.ts';
import { errorFields, log } from '../platform/log.ts';
import { clockAdvanceDone, parseClockAdvance, parseOffsetMs } from './clock-store.ts';
import { keys } from '../platform/table/keys.ts';
import { CorruptItem } from '../platform/table/store.ts';
import type { JobContext } from '../jobs/jobs.ts';
import { jobs as jobsOfKinds } from '../jobs/jobs.ts';

type Job = DueWork & { readonly kind: CompanyTimeKind };

const countedAtMost = 1000;
/** Entries of the due index that are read to find the next job: one is enough unless the index shows what was done. */
const lookAhead = 10;

/**
 * Does what of a company became due until a time of its clock, in the order in which it became due and each at the time
 * at which it did: what a job makes due is done in its order too. Every job's writes are conditional, so that two at
 * once, or one that goes on after another died, do each job once.
 *
 * What fails is told, left as it is and not tried again in this call.
 *
 * @returns the jobs that this call began, in that order, and how many are due still and were not begun, counted up to
 * `countedAtMost`
 */
export async function runDueJobs(context: Omit<JobContext, 'now'>, until: Instant): Promise<DueJobsResult> {
  const { store, companyId, mayGoOn, realNow } = context;
  const present = clockAhead(realNow, millisecondsBetween(realNow(), until));
  const done = new Set<string>();
  // The index is read with a delay: it may show what was done a moment ago.
  const isOpen = (job: Job): boolean => !done.has(entryOf(job)) && !done.has(pieceOf(job));
  const jobs: ClockJob[] = [];
  while (jobs.length < jobsAtMost && mayGoOn()) {
    const job = await nextJob(store, companyId, until, isOpen);
    if (job === undefined) return { jobs, remaining: 0 };
    const deliveryIds: string[] = [];
    const end = await run({ ...context, store: watched(store, deliveryIds) }, job, present);
    jobs.push({ kind: job.kind, resource: { type: clockJobResources[job.kind], id: job.id }, deliveryIds });
    if (end === 'LEFT') break;
    done.add(end === 'FAILED' ? pieceOf(job) : entryOf(job));
  }
  return { jobs, remaining: await countDue(store, companyId, until, isOpen) };
}

/** The table as one job sees it: the deliveries that begin with its own transactions are collected, and no others. */
function watched(store: Store, deliveryIds: string[]): Store {
  const write: Store['write'] = async (writes, ...more) => {
    const outcome = await store.write(writes, ...more);
    if (outcome.ok) deliveryIds.push(...deliveriesBegunBy(writes));
    return outcome;
  };
  return { ...store, write };
}

async function run(context: Omit<JobContext, 'now'>, job: Job, present: Clock): Promise<'ENDED' | 'FAILED' | 'LEFT'> {
  const { kind, id, companyId } = job;
  const requestId = context.ids.uuid();
  try {
    const { end, followUp } = await jobsOfKinds[kind]({ ...context, requestId, now: clockOf(job, present) }, id);
    await followUp?.();
    return end;
  } catch (error) {
    log('error', 'due work failed', { kind, companyId, id, requestId, ...errorFields(error) });
    return 'FAILED';
  }
}

/**
 * What a company's clock shows to a job: the time at which it became due. A command that the bank may not have is due
 * from when it was made, however long the bank does not answer: whether its hour has come, the present alone says.
 */
function clockOf({ kind, dueAt }: Job, present: Clock): Clock {
  return kind === 'CHARGE_COMMAND' ? present : () => dueAt;
}

async function nextJob(
  store: Store,
  companyId: string,
  until: Instant,
  isOpen: (job: Job) => boolean,
): Promise<Job | undefined> {
  const first = async (kind: CompanyTimeKind): Promise<Job | undefined> => {
    for await (const work of dueOf(store, companyId, kind, until, lookAhead)) {
      const job = { ...work, kind };
      if (isOpen(job)) return job;
    }
    return undefined;
  };
  const found = await Promise.all(clockJobKinds.map(first));
  return found.reduce(
    (earliest, job) => (job && (!earliest || job.dueAt < earliest.dueAt) ? job : earliest),
    undefined,
  );
}

async function countDue(
  store: Store,
  companyId: string,
  until: Instant,
  isOpen: (job: Job) => boolean,
): Promise<number> {
  let count = 0;
  for (const kind of clockJobKinds)
    for await (const work of dueOf(store, companyId, kind, until)) {
      if (isOpen({ ...work, kind })) count += 1;
      if (count >= countedAtMost) return count;
    }
  return count;
}

function pieceOf({ kind, id }: Job): string {
  return `${kind}#${id}`;
}

/** A piece of work that was postponed is another entry: it is done again at its new time. */
function entryOf(job: Job): string {
  return `${pieceOf(job)}#${job.dueAt}`;
}

/** What is answered to a call that advanced a clock. `replayed`: it was answered before. */
type AdvanceResult = { readonly clock: ClockReading; readonly done: DueJobsResult; readonly replayed: boolean };
type AdvanceContext = Omit<JobContext, 'now'>;

/**
 * Does what the advance of a clock made due. With the id of an advance that a key remembers, the end is written down:
 * of several calls with one key, also where the first one died, all give the answer of the one that ended first.
 */
export async function finishAdvance(
  context: AdvanceContext,
  id: string | undefined,
  clock: ClockReading,
  until: Instant = clock.now,
): Promise<AdvanceResult> {
  const { store, companyId } = context;
  const done = await runDueJobs(context, until);
  if (id === undefined) return { clock, done, replayed: false };
  const kept = await store.writeOne(clockAdvanceDone(companyId, id, done));
  if (kept.ok) return { clock, done, replayed: false };
  const first = parseClockAdvance(requireAdvance(kept.failed[0]?.item)).done;
  if (first === undefined) throw new CorruptItem('An advance of a clock that was ended has no end.');
  return { clock, done: first, replayed: true };
}

/** The first answer of an advance again; where its call died, or is under way, goes on with what is due still. */
export async function repeatAdvance(context: AdvanceContext, id: string): Promise<AdvanceResult> {
  const { store, companyId, realNow } = context;
  const [item, clockItem] = await store.read([keys.clockAdvance(companyId, id), keys.companyClock(companyId)]);
  const { done, ...clock } = parseClockAdvance(requireAdvance(item));
  if (done !== undefined) return { clock, done, replayed: true };
  // Real time may have been given back since: then less is due than the advance made due.
  const present = companyTime(realNow(), parseOffsetMs(clockItem));
  return finishAdvance(context, id, clock, present < clock.now ? present : clock.now);
}

function requireAdvance(item: Item | undefined): Item {
  if (item === undefined) throw new CorruptItem('A key leads to an advance of a clock that is not there.');
  return item;
}
