/** A time in UTC with milliseconds, as `Date.toISOString` writes it: its strings sort in the order of time. */
export type Instant = string;

/** A day of Brasilia, `yyyy-MM-dd`. */
export type LocalDate = string;

const dayMs = 86_400_000;
/** Brasilia is three hours behind UTC; it has had no summer time since 2019 (Decreto 9.772/2019). */
const behindUtcMs = 3 * 3_600_000;

/** RFC 3339, 5.6: letters in either case, any number of decimals, an offset or Z. */
const dateTime =
  /^(?<day>\d{4}-\d{2}-\d{2})T(?<time>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?)(?<zone>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu;

/** Returns the instant of epoch milliseconds. */
export function instantAt(ms: number): Instant {
  return new Date(ms).toISOString();
}

export function millisecondsOf(instant: Instant): number {
  return Date.parse(instant);
}

/** Reads an instant in RFC 3339; undefined for any other text, or outside the years 0 to 9999 in UTC. */
export function readInstant(text: string): Instant | undefined {
  const { day = '', time = '', zone = '' } = dateTime.exec(text)?.groups ?? {};
  if (!isDay(day)) return undefined;
  const instant = instantAt(Date.parse(`${day}T${time}${zone.toUpperCase()}`));
  return /^\d/u.test(instant) ? instant : undefined;
}

export function plusSeconds(instant: Instant, seconds: number): Instant {
  return instantAt(millisecondsOf(instant) + seconds * 1000);
}

/** Returns `yyyyMMddHHmm` in UTC, the form in ids of the SPI. */
export function utcMinute(instant: Instant): string {
  return instant.slice(0, 16).replaceAll(/\D/gu, '');
}

export function brasiliaDay(instant: Instant): LocalDate {
  return dayAt(millisecondsOf(instant) - behindUtcMs);
}

/** Minutes since midnight in Brasilia. */
export function brasiliaMinute(instant: Instant): number {
  return Math.floor((millisecondsOf(instant) - behindUtcMs) / 60_000) % (24 * 60);
}

/** Whether the text is a day of the calendar, `yyyy-MM-dd`. */
export function isDay(text: string): text is LocalDate {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text)) && dayAt(Date.parse(text)) === text;
}

export function plusDays(day: LocalDate, days: number): LocalDate {
  return dayAt(Date.parse(day) + days * dayMs);
}

/** The same day of a later month, or that month's last day (BCB, Manual de Padrões para Iniciação do Pix, 4.3.1). */
export function plusMonths(day: LocalDate, months: number): LocalDate {
  const from = new Date(day);
  const year = from.getUTCFullYear();
  const month = from.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayAt(Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)));
}

/** Returns the number of days from `from` to `to`, negative if `to` is earlier. */
export function daysBetween(from: LocalDate, to: LocalDate): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs;
}

/** Returns the day itself, or the following Monday for a day of the weekend. */
export function nextWeekday(day: LocalDate): LocalDate {
  const weekday = new Date(day).getUTCDay();
  return plusDays(day, weekday === 6 ? 2 : weekday === 0 ? 1 : 0);
}

function dayAt(ms: number): LocalDate {
  return instantAt(ms).slice(0, 10);
}

/** Returns a time without its zone, `yyyy-MM-dd HH:mm:ss`. */
export function withoutZone(instant: Instant, zone: 'UTC' | 'BRASILIA'): string {
  const shown = zone === 'UTC' ? instant : instantAt(millisecondsOf(instant) - behindUtcMs);
  return shown.slice(0, 19).replace('T', ' ');
}

/** Whether the day in Brasilia is a Saturday or Sunday. */
export function isWeekend(instant: Instant): boolean {
  const day = brasiliaDay(instant);
  return nextWeekday(day) !== day;
}
