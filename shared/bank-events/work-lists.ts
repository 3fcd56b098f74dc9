import type { BankConnection } from '../bank/connection.ts';
import { liveConnections, readBanks } from '../bank/connection.ts';
import { daysToReplace } from '../bank/certificate.ts';
import { listUnsettled } from '../bank/recurrence-locations.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import {
  brasiliaDate,
  brasiliaMinuteOfDay,
  instantAt,
  plusDays,
  plusSeconds,
  secondsBetween,
} from '../core/brasilia-time.ts';
import { concurrently } from '../platform/concurrently.ts';
import type { DueWork } from '../platform/jobs/due.ts';
import type { JobDone } from '../platform/jobs/due-worker.ts';
import type { DueRun } from '../platform/jobs/run.ts';
import { isTimeUp } from '../platform/jobs/run.ts';
import type { CountSums, JobCounts } from '../platform/jobs/scheduled-worker.ts';
import { addCounts } from '../platform/jobs/scheduled-worker.ts';
import { log } from '../platform/log.ts';
import type { Group, ReadBank } from './balance.ts';
import { checkBalance, comparedTogether } from './balance.ts';
import type { BankEventContext, BankEventDependencies } from './context.ts';
import { bankEventContext } from './context.ts';
import type { ConnectedCompany, Extent, Reading, Slice } from './list-readings.ts';
import {
  beginReading,
  changeReading,
  connectedCompanies,
  hourlyLists,
  keepSlice,
  listNames,
  markUnread,
  moveSlice,
  readReading,
  readSlice,
  replaceSlice,
  slicesOf,
  windowSeconds,
  windowsOf,
} from './list-readings.ts';
import type { ListReport } from './lists.ts';
import { emptyReport, readPages } from './lists.ts';
import { beginReceivedPoll, pollReceived } from './received-poll.ts';
import { endUnclaimed } from './unclaimed-recurrences.ts';

/** The hour of Brasilia from which a daily reading is owed: lists of several days, balances, certificate. */
const dailyHour = 5;
/** A reading is begun by every run in these minutes of the hour, in the first of them as a rule. */
const beginMinutes = { from: 7, upTo: 9 } as const;
/** Companies whose readings are begun, and slices that the operator's command reads, at the same time. */
const atOnce = 10;
/** Pages of a slice: a job reads them within a minute. A window with more pages is split into slices. */
const pagesOfSlice = 50;
/** Parts of one split: they are written in one transaction. */
const partsAtMost = 64;
/** Seconds. A shorter window is not split. */
const splitsFrom = 10;
/** Seconds by which parts overlap, whether the bank's windows include their ends or not. */
const partsOverlapSeconds = 1;
/**
 * Seconds after which a failed slice is read on, and after which it is given up: an hourly one before the next reading
 * begins, which has its window.
 */
const failedAgainSeconds = 300;
const givesUpSeconds = { HOURLY: 45 * 60, DAILY: 6 * 3600 } as const;
/** Seconds until a reading looks again for slices that are left, and longer than a run that ends it takes. */
const looksAgainSeconds = 60;
const endsWithinSeconds = 360;
/** A daily reading reads on until its lists are no older than this, or so many times: then balances are compared. */
const comparedWithinSeconds = 600;
const roundsAtMost = 5;
/** Seconds. Overlap of the rounds: lists lag behind writes. */
const lagSeconds = 120;

type ListRun = Pick<DueRun, 'remainingMs' | 'failed' | 'now' | 'store'>;
type ListDependencies = BankEventDependencies & {
  /** Queues jobs that are due at once. The index has them: a later run sends what this does not. */
  readonly send: (jobs: readonly DueWork[]) => Promise<unknown>;
};

/** Whether a run at this time begins in the hour of the daily readings. */
export function isDailyRun(at: Instant): boolean {
  return Math.floor(brasiliaMinuteOfDay(at) / 60) === dailyHour;
}

/** Whether a run of the schedule at this time begins the readings of the hour. */
export function beginsReadings(at: Instant): boolean {
  const minute = brasiliaMinuteOfDay(at) % 60;
  return minute >= beginMinutes.from && minute <= beginMinutes.upTo;
}

/**
 * Begins the readings that are due, one job for each connected company: the hourly one, and the daily one when none is
 * complete since the last 05:00. A reading that is open goes on. `DAILY` begins all daily readings.
 * @returns the number of companies that failed
 */
export async function beginReadings(run: ListRun, send: ListDependencies['send'], extent?: 'DAILY'): Promise<number> {
  const at = run.now();
  const begun: DueWork[] = [];
  const failed = await eachCompany(run, async (company) => {
    const beginOne = async (of: Extent) =>
      begun.push(...[await begin(run, company, of)].filter((job) => job !== undefined));
    const daily = company.last('DAILY');
    if (extent === undefined && isFree(company.last('HOURLY'), at)) await beginOne('HOURLY');
    if (extent === 'DAILY' || (isDailyOwed(daily, at) && isFree(daily, at))) await beginOne('DAILY');
  });
  await send(begun);
  return failed;
}

/** Whether no reading is open, and none began in this hour. */
function isFree(last: Reading | undefined, at: Instant): boolean {
  return last === undefined || (last.endedAt !== undefined && last.startedAt.slice(0, 13) !== at.slice(0, 13));
}

/** Whether the company has no complete daily reading since the last time that it was 05:00 in Brasilia. */
function isDailyOwed(last: Reading | undefined, at: Instant): boolean {
  const today = brasiliaDate(at);
  const date = brasiliaMinuteOfDay(at) < dailyHour * 60 ? plusDays(today, -1) : today;
  return (last?.completeAt ?? '') < instantAt(date, `0${dailyHour}:00`);
}

/** Begins a reading. Its window reaches back to the last complete one, as far as the window of days. */
async function begin({ store, now }: ListRun, company: ConnectedCompany, extent: Extent): Promise<DueWork | undefined> {
  const { companyId } = company;
  const before = company.last(extent);
  const startedAt = now();
  const since = before?.completeAt === undefined ? 0 : secondsBetween(before.completeAt, startedAt);
  const seconds = Math.max(windowSeconds[extent], Math.min(since + 2 * 3600, windowSeconds.DAILY));
  return beginReading(store, companyId, { extent, startedAt, seconds, before });
}

async function eachCompany(run: ListRun, work: (company: ConnectedCompany) => Promise<unknown>): Promise<number> {
  let failed = 0;
  await concurrently(connectedCompanies(run.store), atOnce, (company) =>
    work(company).catch((error: unknown) => {
      failed += 1;
      run.failed({ companyId: company.companyId }, error);
    }),
  );
  return failed;
}

/** Does one job of the bank's lists. @param givesUp a slice that fails is given up at once */
export async function workListJob(
  run: ListRun,
  deps: ListDependencies,
  { kind, companyId, id }: DueWork,
  givesUp = false,
): Promise<JobDone> {
  if (kind === 'BANK_READING') return workReading(run, deps, companyId, id === 'DAILY' ? 'DAILY' : 'HOURLY');
  if (kind === 'RECEIVED_POLL') return pollReceived(run, deps, { companyId, id });
  const slice = await readSlice(run.store, companyId, id);
  return slice === undefined ? {} : workSlice(run, deps, companyId, slice, givesUp);
}

/** Begins the next round of a reading, waits for its slices, or ends it. A concurrent run of the job does nothing. */
async function workReading(run: ListRun, deps: ListDependencies, companyId: string, extent: Extent): Promise<JobDone> {
  const { store, now } = run;
  const found = await readReading(store, companyId, extent);
  if (found === undefined || found.endedAt !== undefined) return {};
  const isOver = found.plannedAt !== undefined && (await slicesOf(store, companyId, extent, 1)).length === 0;
  const dueAt = plusSeconds(now(), isOver ? endsWithinSeconds : looksAgainSeconds);
  const reading = await changeReading(store, companyId, found, { dueAt });
  if (reading === undefined || (found.plannedAt !== undefined && !isOver)) return {};
  if (reading.plannedAt === undefined) return planRound(run, deps, companyId, reading);
  const seconds = secondsBetween(reading.plannedAt, now()) + lagSeconds;
  if (extent === 'HOURLY' || seconds <= comparedWithinSeconds || reading.round + 1 >= roundsAtMost)
    return endReading(run, deps, companyId, reading);
  const set = { seconds, round: reading.round + 1 };
  const next = await changeReading(store, companyId, reading, { dueAt: now(), set, remove: ['plannedAt'] });
  return next === undefined ? {} : planRound(run, deps, companyId, next);
}

/** Stores the slices of a round, one for each list: the whole window. */
async function planRound(run: ListRun, deps: ListDependencies, companyId: string, reading: Reading): Promise<JobDone> {
  const { store, now } = run;
  const { extent, startedAt, round, seconds } = reading;
  const isDaily = extent === 'DAILY' && round === 0;
  const at = now();
  const unread: string[] = [];
  for (const connection of liveConnections(await readBanks(store, companyId)))
    try {
      const context = await bankEventContext(deps, companyId, connection.id);
      if (context === undefined) continue;
      // Connections of earlier releases have none yet.
      await beginReceivedPoll(store, connection, at);
      const { claims } = await context.bank.capabilities(companyId, connection.id);
      const lists = (isDaily ? listNames : hourlyLists).filter((list) => claims || list !== 'infracoes');
      for (const window of windowsOf(context, lists, seconds))
        await keepSlice(store, companyId, { ...window, extent, connection: connection.id, page: 0, startedAt });
      // With an expired certificate the bank's lists cannot be read.
      if (isDaily) await checkCertificate(context);
    } catch (error) {
      unread.push(connection.id);
      run.failed({ companyId, id: connection.id }, error);
    }
  const set = { plannedAt: at, unread: [...reading.unread, ...unread] };
  await changeReading(store, companyId, reading, { dueAt: plusSeconds(now(), looksAgainSeconds), set });
  await deps.send(await slicesOf(store, companyId, extent));
  return { isFailed: unread.length > 0 };
}

/** Reads the pages of a slice, or splits it. Every step may be repeated: items are applied once, cursors move once. */
async function workSlice(
  run: ListRun,
  deps: ListDependencies,
  companyId: string,
  slice: Slice,
  givesUp: boolean,
): Promise<JobDone> {
  const { store, now } = run;
  const found = emptyReport();
  const counts: CountSums = {};
  let unread: number | undefined = slice.page;
  try {
    const context = await bankEventContext(deps, companyId, slice.connection);
    if (context !== undefined) {
      const most = slice.page === 0 && secondsBetween(slice.from, slice.to) >= splitsFrom ? pagesOfSlice : Infinity;
      const read = await readPages(context, slice, found, { time: run, page: slice.page, most });
      if (read.pages > most) {
        await deps.send(await replaceSlice(store, companyId, slice, deps.ids.uuid(), partsOf(slice, read.pages)));
        return {};
      }
      addCounts(counts, await countsOf(context, found));
      unread = read.unread;
    } else unread = undefined;
  } catch (error) {
    found.failed += 1;
    run.failed({ companyId, id: slice.connection }, error);
  }
  const isFailed = found.failed > 0;
  if (unread !== undefined && isTimeUp(run)) {
    await moveSlice(store, companyId, slice, unread, slice.startedAt);
    return { counts, isFailed, isLeft: true };
  }
  const isGivenUp = givesUp || plusSeconds(slice.startedAt, givesUpSeconds[slice.extent]) < now();
  if (unread !== undefined && !isGivenUp)
    await moveSlice(store, companyId, slice, unread, plusSeconds(now(), failedAgainSeconds));
  else {
    // Without its claims a connection's balance can be compared, and the next hour reads all of them again.
    if (unread !== undefined && slice.list !== 'infracoes') await markUnread(store, companyId, slice);
    await replaceSlice(store, companyId, slice, deps.ids.uuid());
  }
  return { counts, isFailed };
}

/** Splits a slice into equal times, so that each part has about as many pages as a slice may have. */
function partsOf(slice: Slice, pages: number): readonly Slice[] {
  const seconds = secondsBetween(slice.from, slice.to);
  const count = Math.min(Math.ceil(pages / pagesOfSlice), partsAtMost, Math.floor((2 * seconds) / splitsFrom));
  const step = Math.floor(seconds / count);
  return Array.from({ length: count }, (_, at) => ({
    ...slice,
    from: at === 0 ? slice.from : plusSeconds(slice.from, at * step - partsOverlapSeconds),
    to: at === count - 1 ? slice.to : plusSeconds(slice.from, (at + 1) * step),
  }));
}

async function countsOf(
  { store, companyId, connection, now }: BankEventContext,
  found: ListReport,
): Promise<JobCounts> {
  const { missed: MissedByCallback, unknownRecurrences } = found;
  if (unknownRecurrences.length === 0) return { MissedByCallback };
  // A recurrence at an unsettled location may still become a subscription: it does not count as unknown.
  const unsettled = new Set((await listUnsettled(store, connection, now())).map(({ id }) => id));
  const unknown = unknownRecurrences.filter(({ locationId }) => locationId === undefined || !unsettled.has(locationId));
  for (const { idRec } of unknown)
    log('warn', 'List contained an unknown recurrence', { companyId, connectionId: connection.id, idRec });
  return { MissedByCallback, ...(unknown.length > 0 && { RecurrencesUnknown: unknown.length }) };
}

/** Ends a reading whose lists were read: cancels unclaimed recurrences, and daily compares the balances. */
async function endReading(run: ListRun, deps: ListDependencies, companyId: string, reading: Reading): Promise<JobDone> {
  const { store, now } = run;
  const { extent, startedAt, plannedAt = startedAt } = reading;
  const counts: CountSums = {};
  let failed = 0;
  const unread = new Set(reading.unread);
  const read: ReadBank[] = [];
  const live = liveConnections(await readBanks(store, companyId));
  for (const { id } of live)
    try {
      const context = await bankEventContext(deps, companyId, id);
      if (context === undefined) continue;
      const readAt = plusSeconds(context.now(), -secondsBetween(plannedAt, now()));
      if (!unread.has(id)) read.push({ context, readAt });
      const { unclaimed, failed: left } = await endUnclaimed(context);
      failed += left;
      if (unclaimed > 0) addCounts(counts, { RecurrencesUnclaimed: unclaimed });
    } catch (error) {
      failed += 1;
      unread.add(id);
      run.failed({ companyId, id }, error);
    }
  const uncompared = extent === 'DAILY' ? await compareBalances(run, live, read) : 0;
  const set = { endedAt: now(), ...(unread.size === 0 && { completeAt: startedAt }) };
  await changeReading(store, companyId, reading, { set });
  return { counts, isFailed: failed + uncompared > 0 };
}

/** `failed`: number of jobs that failed; `pending`: number of companies whose reading is not finished. */
type ListsRead = { readonly counts: JobCounts; readonly failed: number; readonly pending: number };

/**
 * Reads the lists of every connected company now, by the same jobs without their queue. What fails is not tried again.
 */
export async function workLists(run: ListRun, deps: BankEventDependencies, extent: Extent): Promise<ListsRead> {
  const counts: CountSums = {};
  let [failed, pending] = [0, 0];
  const work = async (job: DueWork): Promise<readonly DueWork[]> => {
    const sent: DueWork[] = [];
    const send = (jobs: readonly DueWork[]): Promise<unknown> => Promise.resolve(sent.push(...jobs));
    try {
      const done = await workListJob(run, { ...deps, send }, job, true);
      addCounts(counts, done.counts ?? {});
      if (done.isFailed === true) failed += 1;
    } catch (error) {
      failed += 1;
      run.failed({ kind: job.kind, companyId: job.companyId, id: job.id }, error);
    }
    return sent;
  };
  const unbegun = await eachCompany(run, async (company) => {
    pending += 1;
    const first = await begin(run, company, extent);
    // Each round is a run of its slices, and one that looks for what is left.
    for (let turn = 0; first !== undefined && turn <= 2 * roundsAtMost && !isTimeUp(run); turn += 1) {
      const jobs = [...(await work(first))];
      while (jobs.length > 0 && !isTimeUp(run))
        jobs.push(...(await Promise.all(jobs.splice(0, atOnce).map(work))).flat());
      if ((await readReading(run.store, company.companyId, extent))?.endedAt === undefined) continue;
      pending -= 1;
      break;
    }
  });
  return { counts: { ...counts }, failed: failed + unbegun, pending };
}

/**
 * Compares the balances at the banks with the ledger entries. Connections that share an account are one group with one
 * comparison. A group is skipped if one of its connections was not read or its bank shows no balance: the sum of the
 * others would lack money of that connection.
 * @returns the number of comparisons that failed
 */
async function compareBalances(
  run: ListRun,
  live: readonly BankConnection[],
  read: readonly ReadBank[],
): Promise<number> {
  const comparable = new Map<string, ReadBank>();
  for (const reading of read) {
    const { bank, companyId, connection } = reading.context;
    if ((await bank.capabilities(companyId, connection.id)).balance) comparable.set(connection.id, reading);
  }
  let failed = 0;
  for (const connections of comparedTogether(live)) {
    const group = connections.flatMap(({ id }) => comparable.get(id) ?? []);
    if (!isWhole(group, connections)) continue;
    try {
      await checkBalance(group, run);
    } catch (error) {
      failed += 1;
      run.failed({ companyId: group[0].context.companyId }, error);
    }
  }
  return failed;
}

function isWhole(read: readonly ReadBank[], { length }: readonly BankConnection[]): read is Group {
  return read.length === length && length > 0;
}

async function checkCertificate({ reader, companyId, realNow }: BankEventContext): Promise<void> {
  const end = await reader.certificateExpiry();
  if (end !== undefined && daysToReplace(end, realNow()) !== undefined)
    report('BankCertificateEnds', { companyId, end });
}
