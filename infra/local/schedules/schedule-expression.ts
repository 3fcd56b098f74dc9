import { Cron } from 'croner';
import { LocalStartError } from '../template/local-template.ts';

/** When a schedule runs: the next instant after another one, undefined when there is none. */
export type NextRun = (after: Date) => Date | undefined;

const unitMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Highest value of each field: `0/15` means from 0 to the highest in steps of 15. */
const fieldMaximum = [59, 23, 31, 12, 7, 2199];

/**
 * Reads `rate(5 minutes)` and `cron(minute hour day-of-month month day-of-week year)` ("Schedule types in EventBridge
 * Scheduler"). Days of the week count from 1 = Sunday; `?` leaves one of the two day fields open.
 *
 * @param timeZone IANA name, for cron; UTC where the template names none.
 * @param start A rate counts from here.
 * @throws LocalStartError for another form, an impossible field or an unknown time zone.
 */
export function readScheduleExpression(expression: string, timeZone: string, start: Date): NextRun {
  const [, kind, argument = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? [];
  switch (kind) {
    case 'rate':
      return everyInterval(rateMs(expression, argument), start);
    case 'cron':
      return everyMatch(expression, argument, timeZone);
    default:
      throw new LocalStartError(`The local runner knows rate(…) and cron(…) schedules, not ${expression}.`);
  }
}

function rateMs(expression: string, argument: string): number {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(argument) ?? [];
  const milliseconds = Number(count) * (unitMs[unit] ?? 0);
  if (milliseconds > 0) return milliseconds;
  throw new LocalStartError(`${expression} is no rate: a count and minutes, hours or days.`);
}

function everyInterval(interval: number, start: Date): NextRun {
  return (after) => {
    const runs = Math.floor((after.getTime() - start.getTime()) / interval) + 1;
    return new Date(start.getTime() + Math.max(1, runs) * interval);
  };
}

function everyMatch(expression: string, argument: string, timeZone: string): NextRun {
  const fields = argument.trim().split(/\s+/);
  if (fields.length !== 6) throw new LocalStartError(`${expression} needs six fields.`);
  if (fields[2] !== '?' && fields[4] !== '?') {
    throw new LocalStartError(
      `${expression} must leave the day of the month or that of the week open with a question mark.`,
    );
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek, year] = fields.map((field, index) => cronerField(field, index));
  const pattern = ['0', minute, hour, dayOfMonth, month, dayOfWeek, year].join(' ');
  try {
    const cron = new Cron(pattern, {
      timezone: timeZone,
      alternativeWeekdays: true,
      mode: '7-part',
      paused: true,
    });
    cron.nextRun();
    return (after) => cron.nextRun(after) ?? undefined;
  } catch (error) {
    throw new LocalStartError(`${expression} (${timeZone}) is no schedule: ${String(error)}`);
  }
}

/** `?` → `*`, `0/15` → `0-59/15`, `6L` (last Friday) → `6#L`; everything else is written alike. */
function cronerField(field: string, index: number): string {
  if (field === '?') return '*';
  const [, from, step] = /^(\d+)\/(\d+)$/.exec(field) ?? [];
  if (from !== undefined && step !== undefined) return `${from}-${fieldMaximum[index] ?? 59}/${step}`;
  const [, weekday] = index === 4 ? (/^(\d|[A-Z]{3})L$/i.exec(field) ?? []) : [];
  return weekday === undefined ? field : `${weekday}#L`;
}
