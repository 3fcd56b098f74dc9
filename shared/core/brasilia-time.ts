/**
 * The only file that computes with `Date` and that names the zone. An hour or a day is always Brasilia's, an instant is
 * always UTC. Both are plain text whose alphabetical order is the order of time, so that they can be sort keys.
 */

/** A moment: `2026-01-15T02:59:59.000Z`, always with milliseconds and `Z`. */
export type Instant = string;

/** A day of the calendar: `2026-01-15`. */
export type LocalDate = string;

/** Tells the present moment; passed in, so that a company's simulated clock and the tests can tell another. */
export type Clock = () => Instant;

const dayMs = 86_400_000;
const firstYear = 1900;
const dateGrammar = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeGrammar = /^([01]\d|2[0-3]):([0-5]\d)$/;
const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

let clockOfBrasilia: Intl.DateTimeFormat | undefined;

/** Made at its first use: loading the zone takes longer than most functions compute, and few of them ask for it. */
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

/** @throws RangeError when the year has not four digits, because the text would no longer sort. */
export function instantFromEpochMs(ms: number): Instant {
  const text = new Date(ms).toISOString();
  if (text.length !== 24 || text < '1000') throw new RangeError(`Outside the years 1000 to 9999: ${text}`);
  return text;
}

/** Milliseconds since 1970. @throws RangeError when the text is not a time. */
export function epochMs(instant: Instant): number {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) throw new RangeError(`Not an instant: ${instant}`);
  return ms;
}

/** Whole seconds since 1970, rounded down: the unit of the table's TTL and of tokens. */
export function epochSeconds(instant: Instant): number {
  return Math.floor(epochMs(instant) / 1000);
}

/**
 * The instant of an RFC 3339 date-time with any offset (`2026-01-15T00:00:00-03:00`); `undefined` for any other text.
 */
export function parseInstant(text: string): Instant | undefined {
  const date = rfc3339.exec(text)?.[1];
  if (date === undefined || !isLocalDate(date)) return undefined;
  const iso = new Date(text).toISOString();
  return iso.length === 24 ? iso : undefined;
}

export function plusSeconds(instant: Instant, seconds: number): Instant {
  return plusMilliseconds(instant, seconds * 1000);
}

export function plusMilliseconds(instant: Instant, milliseconds: number): Instant {
  return instantFromEpochMs(epochMs(instant) + milliseconds);
}

/** From the first to the second, with its fraction; negative when the second is earlier. */
export function secondsBetween(from: Instant, to: Instant): number {
  return millisecondsBetween(from, to) / 1000;
}

export function millisecondsBetween(from: Instant, to: Instant): number {
  return epochMs(to) - epochMs(from);
}

/** The day that Brasilia's calendar shows at this instant. */
export function brasiliaDate(instant: Instant): LocalDate {
  return dateOf(wallClockMs(epochMs(instant)));
}

/** Minutes since midnight on Brasilia's clock, 0 to 1439 (21:00 is 1260). */
export function brasiliaMinuteOfDay(instant: Instant): number {
  const sinceMidnightMs = wallClockMs(epochMs(instant)) - dateMs(brasiliaDate(instant));
  return Math.floor(sinceMidnightMs / 60_000);
}

/**
 * The instant at which Brasilia's clock shows this day and time (`HH:mm`).
 *
 * Of an hour that happened twice (the end of daylight saving time, until 2019) the first; an hour that was skipped is
 * read as the one an hour later, as RFC 5545 and Temporal do.
 */
export function instantAt(date: LocalDate, time: string): Instant {
  const [, hour, minute] = timeGrammar.exec(time) ?? [];
  if (hour === undefined || minute === undefined) throw new RangeError(`Not a time of the day as HH:mm: ${time}`);
  const wall = dateMs(date) + (Number(hour) * 60 + Number(minute)) * 60_000;
  // The zone never changed twice within two days, so one of these two offsets holds at the time sought.
  const offsetBefore = wallClockMs(wall - dayMs) - (wall - dayMs);
  const offsetAfter = wallClockMs(wall + dayMs) - (wall + dayMs);
  const candidates = [wall - offsetBefore, wall - offsetAfter].filter((ms) => wallClockMs(ms) === wall);
  return instantFromEpochMs(candidates.length > 0 ? Math.min(...candidates) : wall - offsetBefore);
}

/** Whether the text is `YYYY-MM-DD` and the calendar has that day, from the year 1900 on. */
export function isLocalDate(text: string): text is LocalDate {
  const year = dateGrammar.exec(text)?.[1];
  if (year === undefined || Number(year) < firstYear) return false;
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  // The parser of dates turns 30 February into 2 March instead of refusing it.
  return !Number.isNaN(ms) && dateOf(ms) === text;
}

/** @throws RangeError when the result lies beyond the year 9999. */
export function plusDays(date: LocalDate, days: number): LocalDate {
  return dateOf(dateMs(date) + days * dayMs);
}

/**
 * The same day some months later, or the last day of that month when it is shorter (30-Jan plus 1 is 28-Feb). The
 * cycles of a recurrence are counted from its first day (BCB, Manual de Padrões, 4.3.1), never from the cycle before,
 * which would make the 30th a 28th for ever.
 */
export function plusMonths(date: LocalDate, months: number): LocalDate {
  const start = new Date(dateMs(date));
  const day = start.getUTCDate();
  start.setUTCDate(1);
  start.setUTCMonth(start.getUTCMonth() + months + 1, 0);
  start.setUTCDate(Math.min(day, start.getUTCDate()));
  return dateOf(start.getTime());
}

/** Calendar days from the first to the second; negative when the second is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return (dateMs(to) - dateMs(from)) / dayMs;
}

/** 0 is Sunday, 6 is Saturday. */
export function weekday(date: LocalDate): number {
  return new Date(dateMs(date)).getUTCDay();
}

/** The date itself from Monday to Friday; the Monday that follows a Saturday or a Sunday. */
export function nextWeekday(date: LocalDate): LocalDate {
  const day = weekday(date);
  if (day === 6) return plusDays(date, 2);
  return day === 0 ? plusDays(date, 1) : date;
}

/** `yyyyMMddHHmm` in UTC: the minute inside an end-to-end id. */
export function utcMinuteStamp(instant: Instant): string {
  return instantFromEpochMs(epochMs(instant)).slice(0, 16).replaceAll(/[-T:]/g, '');
}

/** `yyyyMMdd`. */
export function compactDate(date: LocalDate): string {
  return date.replaceAll('-', '');
}

/** Midnight UTC of the day: dates are counted without a zone. */
function dateMs(date: LocalDate): number {
  const ms = dateGrammar.test(date) ? Date.parse(`${date}T00:00:00.000Z`) : Number.NaN;
  if (Number.isNaN(ms)) throw new RangeError(`Not a date: ${date}`);
  return ms;
}

function dateOf(ms: number): LocalDate {
  return instantFromEpochMs(ms).slice(0, 10);
}

/** What Brasilia's clock and calendar show, as if it were UTC: the difference to the instant is the zone's offset. */
function wallClockMs(ms: number): number {
  const shown = Object.fromEntries(
    brasiliaClock()
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  const fraction = ((ms % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + fraction;
}
