import type { BankConnection } from '../bank/connection.ts';
import { liveConnections, readBanks } from '../bank/connection.ts';
import { daysToReplace } from '../bank/certificate.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { brasiliaDate, brasiliaMinuteOfDay, instantAt, plusDays } from '../core/brasilia-time.ts';
import type { CountSums, JobCounts } from '../platform/jobs/due-worker.ts';
import { addCounts } from '../platform/jobs/due-worker.ts';
import type { DueRun } from '../platform/jobs/work-due.ts';
import { isTimeUp, NotFinished, untilTimeIsOver } from '../platform/jobs/work-due.ts';
import { log } from '../platform/log.ts';
import type { Group, ReadBank } from './balance.ts';
import { checkBalance, comparedTogether } from './balance.ts';
import type { BankEventContext, BankEventDependencies } from './context.ts';
import { bankEventContext } from './context.ts';
import type { ConnectedCompany } from './list-readings.ts';
import { connectedCompanies, keepListReading } from './list-readings.ts';
import { readLists } from './lists.ts';
import { endUnclaimed } from './unclaimed-recurrences.ts';

/** The hour of Brasilia whose run reads days instead of hours, and compares balances. */
const dailyHour = 5;
/** Banks that are read at the same time: one that hangs delays few others. */
const companiesAtOnce = 10;

type ListRun = Pick<DueRun, 'remainingMs' | 'failed' | 'now' | 'store'>;

/** Whether a run at this time is the one of the day. */
export function isDailyRun(at: Instant): boolean {
  return Math.floor(brasiliaMinuteOfDay(at) / 60) === dailyHour;
}

/** `AS_OWED`: of days where the reading of this day is owed, else of hours. */
type Extent = 'HOURLY' | 'DAILY' | 'AS_OWED';

/** `failed`: banks, and listed items, that a later run takes up again; `pending`: companies not read. */
type ListsRead = { readonly counts: JobCounts; readonly failed: number; readonly pending: number };

/**
 * Reads the lists of every company's bank, first of those that were read longest ago. What the run has no time for is
 * counted as pending, and first in the next one.
 */
export async function workLists(
  run: ListRun,
  deps: BankEventDependencies,
  extent: Extent = 'AS_OWED',
): Promise<ListsRead> {
  const counts: CountSums = { MissedByCallback: 0 };
  let failed = 0;
  const companies = await connectedCompanies(run.store);
  const open = new Set(companies);
  const underWay = new Set<ConnectedCompany>();
  const waiting = companies.values();
  const work = async (): Promise<void> => {
    for (const company of waiting) {
      if (isTimeUp(run)) return;
      const { companyId } = company;
      const isDaily = extent === 'AS_OWED' ? isDailyOwed(company, run.now()) : extent === 'DAILY';
      underWay.add(company);
      let isRead = false;
      try {
        const read = await readCompany(run, deps, companyId, isDaily);
        addCounts(counts, read.counts);
        failed += read.failed;
        isRead = read.unread === 0;
        // The time ended before its lists: it stays pending, and first.
        if (!isRead && isTimeUp(run)) return;
      } catch (error) {
        failed += 1;
        run.failed({ companyId }, error);
      }
      // One that failed waits for its turn, too: a bank that never answers is not the first of every run.
      await keepListReading(run.store, company, { at: run.now(), isDaily: isDaily && isRead }).catch(
        (error: unknown) => {
          failed += 1;
          run.failed({ companyId }, error);
        },
      );
      underWay.delete(company);
      open.delete(company);
    }
  };
  await untilTimeIsOver(
    run,
    Promise.all(Array.from({ length: companiesAtOnce }, work)).then(() => undefined),
  );
  for (const { companyId } of underWay) run.failed({ companyId }, new NotFinished());
  return { counts: { ...counts }, failed, pending: open.size };
}

/** Whether no reading of days ended since the hour for it. */
function isDailyOwed({ last }: ConnectedCompany, at: Instant): boolean {
  const today = brasiliaDate(at);
  const date = brasiliaMinuteOfDay(at) < dailyHour * 60 ? plusDays(today, -1) : today;
  return (last?.dailyAt ?? '') < instantAt(date, `0${dailyHour}:00`);
}

/** One connection that fails costs the others of its company nothing. */
async function readCompany(run: ListRun, deps: BankEventDependencies, companyId: string, isDaily: boolean) {
  const counts: CountSums = {};
  let [failed, unread] = [0, 0];
  const read: ReadBank[] = [];
  const live = liveConnections(await readBanks(run.store, companyId));
  for (const { id } of live)
    try {
      const context = await bankEventContext(deps, companyId, id);
      if (context === undefined) continue;
      const heard = await readBank(run, context, isDaily);
      read.push({ context, lists: heard.lists });
      addCounts(counts, heard.counts);
      failed += heard.failed;
      unread += heard.lists.unread;
    } catch (error) {
      failed += 1;
      // The reading of the day stays owed.
      unread += 1;
      run.failed({ companyId, id }, error);
    }
  const uncompared = isDaily ? await compareBalances(run, live, read) : 0;
  return { counts, failed: failed + uncompared, unread };
}

async function readBank(run: ListRun, context: BankEventContext, isDaily: boolean) {
  const { companyId, connection } = context;
  // First: a certificate that ended reads no list.
  if (isDaily) await checkCertificate(context);
  const lists = await readLists(context, isDaily ? 'DAILY' : 'HOURLY', run);
  const { unclaimed, failed, pending } = await endUnclaimed(context);
  // A recurrence whose request may still be repeated is not unknown.
  const unknownRecurrences = lists.unknownRecurrences.filter(
    ({ locationId }) => locationId === undefined || !pending.has(locationId),
  );
  for (const { idRec } of unknownRecurrences)
    log('warn', 'List contained an unknown recurrence', { companyId, connectionId: connection.id, idRec });
  return {
    lists,
    counts: {
      MissedByCallback: lists.missed,
      ...(unclaimed > 0 && { RecurrencesUnclaimed: unclaimed }),
      ...(unknownRecurrences.length > 0 && { RecurrencesUnknown: unknownRecurrences.length }),
    },
    failed: lists.failed + failed,
  };
}

/**
 * Compares what was read, together where an account moved among connections: one that is missing has money of the
 * others' entries, and its group waits for the next reading. @returns how many failed
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
  if (daysToReplace(end, realNow()) !== undefined) report('BankCertificateEnds', { companyId, end });
}
