/**
 * The only file that uses `Date` and the zone. Hours and days are Brasilia's, instants are UTC. Both are text that
 * sorts in the order of time, for sort keys.
 */

/** A moment: `2026-01-15T02:59:59.000Z`, always with milliseconds and `Z`. */
export type Instant = string;

/** A day of the calendar: `2026-01-15`. */
export type LocalDate = string;

/** The current time; an argument, so that simulated clocks and tests can replace it. */
export type Clock = () => Instant;

const dayMs = 86_400_000;
const firstYear = 1900;
const dateGrammar = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeGrammar = /^([01]\d|2[0-3]):([0-5]\d)$/;
const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

const httpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;

let clockOfBrasilia: Intl.DateTimeFormat | undefined;

/** Returns the formatter of Brasilia's time, created at its first use because loading the zone takes long. */
function brasiliaClock(): Intl.DateTimeFormat {
  clockOfBrasilia ??= new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/Sao_Paulo',
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return clockOfBrasilia;
}

/**
 * Returns the instant of milliseconds since 1970. @throws RangeError outside the years 1000 to 9999: the text would not
 * sort
 */
export function instantFromEpochMs(ms: number): Instant {
  const text = new Date(ms).toISOString();
  // Years of more digits begin with a sign, which sorts before all digits.
  if (text < '1000') throw new RangeError(`The year is outside 1000 to 9999: ${text}`);
  return text;
}

/** Milliseconds since 1970. @throws RangeError when the text is not a time. */
export function epochMs(instant: Instant): number {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) throw new RangeError(`Invalid instant: ${instant}`);
  return ms;
}

/** Whole seconds since 1970, rounded down: the unit of TTL and tokens. */
export function epochSeconds(instant: Instant): number {
  return Math.floor(epochMs(instant) / 1000);
}

/**
 * Returns the instant of an RFC 3339 date-time with any offset and letters in either case (5.6); undefined for other
 * text.
 */
export function parseInstant(text: string): Instant | undefined {
  const date = rfc3339.exec(text)?.[1];
  if (date === undefined || !isLocalDate(date)) return undefined;
  const iso = new Date(text.toUpperCase()).toISOString();
  return iso.length === 24 ? iso : undefined;
}

/** The instant of a date in an HTTP header (IMF-fixdate, RFC 9110, 5.6.7); `undefined` for any other text. */
export function parseHttpDate(text: string): Instant | undefined {
  const ms = httpDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) || ms < 0 ? undefined : new Date(ms).toISOString();
}

export function plusSeconds(instant: Instant, seconds: number): Instant {
  return plusMilliseconds(instant, seconds * 1000);
}

export function plusMilliseconds(instant: Instant, milliseconds: number): Instant {
  return instantFromEpochMs(epochMs(instant) + milliseconds);
}

/**
 * Returns the time of a change after another one: `at`, or the millisecond after `last` when `at` is not later. A time
 * that was fixed before the bank was asked may be earlier than that of what was written meanwhile.
 */
export function timeAfter(last: Instant, at: Instant): Instant {
  return at > last ? at : plusMilliseconds(last, 1);
}

/** Returns seconds with their fraction; negative when `to` is earlier. */
export function secondsBetween(from: Instant, to: Instant): number {
  return millisecondsBetween(from, to) / 1000;
}

export function millisecondsBetween(from: Instant, to: Instant): number {
  return epochMs(to) - epochMs(from);
}

/** The day in Brasilia. */
export function brasiliaDate(instant: Instant): LocalDate {
  return dateOf(wallClockMs(epochMs(instant)));
}

/** Minutes since midnight in Brasilia, 0 to 1439. */
export function brasiliaMinuteOfDay(instant: Instant): number {
  const sinceMidnightMs = wallClockMs(epochMs(instant)) - dateMs(brasiliaDate(instant));
  return Math.floor(sinceMidnightMs / 60_000);
}

/** The time of day in Brasilia, `HH:mm:ss`. */
export function brasiliaTimeOfDay(instant: Instant): string {
  return instantFromEpochMs(wallClockMs(epochMs(instant))).slice(11, 19);
}

/**
 * Returns the instant of a day and time (`HH:mm`) in Brasilia. If the time occurred twice (end of daylight saving time,
 * until 2019), the first instant. If it was skipped, the time one hour later (RFC 5545, Temporal).
 */
export function instantAt(date: LocalDate, time: string): Instant {
  const match = timeGrammar.exec(time);
  if (match === null) throw new RangeError(`Invalid time of day (HH:mm): ${time}`);
  const [hour = 0, minute = 0] = match.slice(1).map(Number);
  const wall = dateMs(date) + (hour * 60 + minute) * 60_000;
  // The zone's offset never changed twice within two days, so one of these two offsets applies.
  const offsetBefore = wallClockMs(wall - dayMs) - (wall - dayMs);
  const offsetAfter = wallClockMs(wall + dayMs) - (wall + dayMs);
  const candidates = [wall - offsetBefore, wall - offsetAfter].filter((ms) => wallClockMs(ms) === wall);
  return instantFromEpochMs(candidates.length > 0 ? Math.min(...candidates) : wall - offsetBefore);
}

/** Whether the text is an existing day, `YYYY-MM-DD`, from 1900 on. */
export function isLocalDate(text: string): text is LocalDate {
  const year = dateGrammar.exec(text)?.[1];
  if (year === undefined || Number(year) < firstYear) return false;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  // `Date.parse` turns 30 February into 2 March.
  return !Number.isNaN(ms) && dateOf(ms) === text;
}

/** Adds days to a date. @throws RangeError when the result lies beyond the year 9999 */
export function plusDays(date: LocalDate, days: number): LocalDate {
  return dateOf(dateMs(date) + days * dayMs);
}

/**
 * Returns the same day some months later, or the last day of a shorter month (30-Jan plus 1 is 28-Feb). Count the
 * cycles of a rec from its first day (BCB, Manual de Padrões, 4.3.1): counted from the previous cycle, a 30th would
 * become a 28th for all later cycles.
 */
export function plusMonths(date: LocalDate, months: number): LocalDate {
  const start = new Date(dateMs(date));
  const day = start.getUTCDate();
  start.setUTCDate(1);
  start.setUTCMonth(start.getUTCMonth() + months + 1, 0);
  start.setUTCDate(Math.min(day, start.getUTCDate()));
  return dateOf(start.getTime());
}

/** Returns the days between two dates; negative when `to` is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return (dateMs(to) - dateMs(from)) / dayMs;
}

/** 0 is Sunday, 6 is Saturday. */
export function weekday(date: LocalDate): number {
  return new Date(dateMs(date)).getUTCDay();
}

/** The date itself, or the Monday after a Saturday or Sunday. */
export function nextWeekday(date: LocalDate): LocalDate {
  const day = weekday(date);
  if (day === 6) return plusDays(date, 2);
  return day === 0 ? plusDays(date, 1) : date;
}

/** Returns the minute as `yyyyMMddHHmm` in UTC, as in an end-to-end id. */
export function utcMinuteStamp(instant: Instant): string {
  return instantFromEpochMs(epochMs(instant)).slice(0, 16).replaceAll(/[-T:]/g, '');
}

/** Returns the date as `yyyyMMdd`. */
export function compactDate(date: LocalDate): string {
  return date.replaceAll('-', '');
}

/** Midnight UTC: dates are counted without a zone. */
function dateMs(date: LocalDate): number {
  const ms = dateGrammar.test(date) ? Date.parse(`${date}T00:00:00.000Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError(`Invalid date: ${date}`);
  return ms;
}

function dateOf(ms: number): LocalDate {
  return instantFromEpochMs(ms).slice(0, 10);
}

/** Brasilia's date and time, to the second, as if it were UTC. */
function wallClockMs(ms: number): number {
  const shown = Object.fromEntries(
    brasiliaClock()
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
