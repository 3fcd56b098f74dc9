import { getHolidays } from '@brazilian-utils/brazilian-utils/get-holidays';
import type { Instant, LocalDate } from '../core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays, weekday } from '../core/brasilia-time.ts';

/** The hours of a banking day in which TEDs are sent, in Brasilia time: from the first to before the second. */
export const tedHours = { from: '06:30', until: '17:00' } as const;

const saturday = 6;
const sunday = 0;

/**
 * Whether banks send TEDs on this day. The library knows public holidays, Carnival's Tuesday and Corpus Christi.
 * Carnival's Monday and the year's last working day are no banking days either (Resolução CMN 4.880/2020, FEBRABAN's
 * calendar). Ash Wednesday and 24 December are banking days.
 */
export function isBankingDay(date: LocalDate): boolean {
  return isWorkday(date) && date !== lastWorkdayOfYear(yearOf(date));
}

/** Returns when a TED that is ordered now is sent: now within the window, else when the next window opens. */
export function tedSendingTime(now: Instant): Instant {
  const today = brasiliaDate(now);
  const opens = instantAt(today, tedHours.from);
  if (isBankingDay(today) && now < instantAt(today, tedHours.until)) return now >= opens ? now : opens;
  return instantAt(nextBankingDay(today), tedHours.from);
}

function nextBankingDay(date: LocalDate): LocalDate {
  const next = plusDays(date, 1);
  return isBankingDay(next) ? next : nextBankingDay(next);
}

function isWorkday(date: LocalDate): boolean {
  const day = weekday(date);
  return day !== saturday && day !== sunday && !holidays(yearOf(date)).has(date);
}

function lastWorkdayOfYear(year: number, date: LocalDate = `${year}-12-31`): LocalDate {
  return isWorkday(date) ? date : lastWorkdayOfYear(year, plusDays(date, -1));
}

/** Returns the holidays of a year. The library also lists Easter, a Sunday, which changes nothing. */
function holidays(year: number): ReadonlySet<LocalDate> {
  // The library gives the local midnight of a day; this locale writes that day as YYYY-MM-DD.
  const listed = getHolidays(year).map(({ name, date }) => ({ name, day: date.toLocaleDateString('sv-SE') }));
  const carnivalMondays = listed.filter(({ name }) => name.startsWith('Carnaval')).map(({ day }) => plusDays(day, -1));
  return new Set([...listed.map(({ day }) => day), ...carnivalMondays]);
}

function yearOf(date: LocalDate): number {
  return Number(date.slice(0, 4));
}
