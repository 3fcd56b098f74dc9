import { daysToReplace } from '../bank/certificate.ts';
import { report } from '../bank/report.ts';
import type { Instant } from '../core/brasilia-time.ts';
import { brasiliaMinuteOfDay } from '../core/brasilia-time.ts';
import { companyIds } from '../platform/company.ts';
import type { JobCounts } from '../platform/jobs/due-worker.ts';
import { addCounts } from '../platform/jobs/due-worker.ts';
import type { DueRun } from '../platform/jobs/work-due.ts';
import { isTimeUp } from '../platform/jobs/work-due.ts';
import { log } from '../platform/log.ts';
import type { MetricName } from '../platform/metrics.ts';
import { checkBalance } from './balance.ts';
import type { NewsContext, NewsDependencies } from './context.ts';
import { newsContext } from './context.ts';
import { readLists } from './lists.ts';
import { endOrphans } from './orphans.ts';

/** The hour of Brasilia whose run reads days instead of hours, and compares balances. */
const dailyHour = 5;
/** Banks that are read at the same time: one that hangs delays few others. */
const companiesAtOnce = 10;

type ListRun = Pick<DueRun, 'remainingMs' | 'failed' | 'now' | 'store'>;

/** Whether a run at this time is the one of the day. */
export function isDailyRun(at: Instant): boolean {
  return Math.floor(brasiliaMinuteOfDay(at) / 60) === dailyHour;
}

/** Reads the lists of every company's bank. `failed`: banks, and listed items, that a later run takes up again. */
export async function workLists(
  run: ListRun,
  deps: NewsDependencies,
  isDaily = isDailyRun(run.now()),
): Promise<{ readonly counts: JobCounts; readonly failed: number }> {
  const counts: Partial<Record<MetricName, number>> = { MissedByCallback: 0 };
  let failed = 0;
  const waiting = companyIds(run.store);
  const work = async (): Promise<void> => {
    for await (const companyId of waiting) {
      if (isTimeUp(run)) return;
      try {
        const read = await readCompany(deps, companyId, isDaily);
        addCounts(counts, read.counts);
        failed += read.failed;
      } catch (error) {
        failed += 1;
        run.failed({ companyId }, error);
      }
    }
  };
  await Promise.all(Array.from({ length: companiesAtOnce }, work));
  return { counts, failed };
}

async function readCompany(deps: NewsDependencies, companyId: string, isDaily: boolean) {
  const context = await newsContext(deps, companyId);
  if (context === undefined) return { counts: {}, failed: 0 };
  // First: a certificate that ended reads no list.
  if (isDaily) await checkCertificate(context);
  const lists = await readLists(context, isDaily ? 'DAILY' : 'HOURLY');
  const { balance } = await context.bank.capabilities(companyId);
  if (isDaily && balance) await checkBalance(context, lists);
  const { orphaned, failed, pending } = await endOrphans(context);
  // One whose request may still be repeated is no stranger.
  const strangers = lists.strangers.filter(({ locationId }) => locationId === undefined || !pending.has(locationId));
  for (const { idRec } of strangers) log('warn', 'recurrence of no subscription', { companyId, idRec });
  return {
    counts: {
      MissedByCallback: lists.missed,
      ...(orphaned > 0 && { RecurrencesOrphaned: orphaned }),
      ...(strangers.length > 0 && { RecurrencesUnknown: strangers.length }),
    },
    failed: lists.failed + failed,
  };
}

async function checkCertificate({ reader, companyId, realNow }: NewsContext): Promise<void> {
  const end = await reader.certificateEnd();
  if (daysToReplace(end, realNow()) !== undefined) report('BankCertificateEnds', { companyId, end });
}
