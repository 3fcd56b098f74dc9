import type { BankConnection } from '../bank/connection.ts';
import { liveConnections, readBanks } from '../bank/connection.ts';
import { daysToReplace } from '../bank/certificate.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { brasiliaDate, brasiliaMinuteOfDay, instantAt, plusDays } from '../core/brasilia-time.ts';
import type { CountSums, JobCounts } from '../platform/jobs/scheduled-worker.ts';
import { addCounts } from '../platform/jobs/scheduled-worker.ts';
import type { DueRun } from '../platform/jobs/run.ts';
import { isTimeUp, NotFinished, untilTimeIsOver } from '../platform/jobs/run.ts';
import { log } from '../platform/log.ts';
import type { Group, ReadBank } from './balance.ts';
import { checkBalance, comparedTogether } from './balance.ts';
import type { BankEventContext, BankEventDependencies } from './context.ts';
import { bankEventContext } from './context.ts';
import type { ConnectedCompany } from './list-readings.ts';
import { connectedCompanies, keepListReading } from './list-readings.ts';
import { readLists } from './lists.ts';
import { endUnclaimed } from './unclaimed-recurrences.ts';

/**
 * From this hour of Brasilia the next reading of a company is its daily one: lists of several days, balances,
 * certificate.
 */
const dailyHour = 5;
/** Companies that are read concurrently: a bank that hangs delays few other companies. */
export const companiesAtOnce = 10;

type ListRun = Pick<DueRun, 'remainingMs' | 'failed' | 'now' | 'store'>;

/** Whether a run at this time begins in the hour of the daily readings. */
export function isDailyRun(at: Instant): boolean {
  return Math.floor(brasiliaMinuteOfDay(at) / 60) === dailyHour;
}

/** `AS_OWED`: the daily lists of a company whose daily reading is due, else the hourly lists. */
type Extent = 'HOURLY' | 'DAILY' | 'AS_OWED';

/** `failed`: number of errors; `pending`: number of companies whose reading the run did not finish. */
type ListsRead = { readonly counts: JobCounts; readonly failed: number; readonly pending: number };

/**
 * Reads the bank lists of every connected company, oldest reading first. A company that the run has no time for is
 * counted as pending, and comes first in the next run.
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
        // The time ended before the lists did: the company stays pending, and comes first in the next run.
        if (!isRead && isTimeUp(run)) return;
      } catch (error) {
        failed += 1;
        run.failed({ companyId }, error);
      }
      // A company that failed gets a new reading time, too. Otherwise a bank that never responds would come first in
      // every run.
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

/** Whether the company has no complete daily reading since the last time that it was 05:00 in Brasilia. */
function isDailyOwed({ last }: ConnectedCompany, at: Instant): boolean {
  const today = brasiliaDate(at);
  const date = brasiliaMinuteOfDay(at) < dailyHour * 60 ? plusDays(today, -1) : today;
  return (last?.dailyAt ?? '') < instantAt(date, `0${dailyHour}:00`);
}

/** Reads every live connection of a company. After an error of one it continues with the others. */
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
      // The daily reading of the company stays due.
      unread += 1;
      run.failed({ companyId, id }, error);
    }
  const uncompared = isDaily ? await compareBalances(run, live, read) : 0;
  return { counts, failed: failed + uncompared, unread };
}

async function readBank(run: ListRun, context: BankEventContext, isDaily: boolean) {
  const { companyId, connection } = context;
  // Comes first: with an expired certificate the bank's lists cannot be read.
  if (isDaily) await checkCertificate(context);
  const lists = await readLists(context, isDaily ? 'DAILY' : 'HOURLY', run);
  const { unclaimed, failed, pending } = await endUnclaimed(context);
  // A recurrence at a pending location may still become a subscription: it does not count as unknown.
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
  if (daysToReplace(end, realNow()) !== undefined) report('BankCertificateEnds', { companyId, end });
}
