import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { isLocalDate } from '#shared/core/brasilia-time.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { overlapSeconds } from '#shared/webhooks/settings.ts';
import { UsageError } from './failures.ts';

/** Reads `--overlap` of the rotation, seconds. @throws UsageError with the range */
export function readOverlap(text = String(overlapSeconds.usual)): number {
  if (/^\d{1,9}$/u.test(text) && Number(text) <= overlapSeconds.longest) return Number(text);
  throw new UsageError(
    `--overlap ${text} is not a number of seconds.`,
    `Write whole seconds from 0 to ${overlapSeconds.longest}.`,
  );
}

/** Reads `--within` of the check of a receiver, in milliseconds. @throws UsageError with the range */
export function readWithin(text = '10'): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 60) return seconds * 1000;
  throw new UsageError(`--within ${text} is not a number of seconds.`, 'Give a number above 0 and up to 60.');
}

/** Reads `--delays` of the listener, seconds between attempts as `1,2,4,8`. @throws UsageError with the range */
export function readDelays(text: string): readonly number[] {
  const waits = text.split(',');
  const isWhole = /^\d{1,6}(,\d{1,6})*$/u.test(text);
  if (isWhole && waits.length < maxCountedFailures) return waits.map(Number);
  const cure = `Write whole seconds from 0 to 999999, at most ${maxCountedFailures - 1} of them, as --delays 1,2,4,8.`;
  throw new UsageError(`--delays ${text} is not a list of seconds.`, cure);
}

/** Reads `--poll` of the listener, milliseconds between two reads of the log. @throws UsageError with the range */
export function readPoll(text = '1'): number {
  if (/^\d{1,4}(\.\d)?$/u.test(text) && Number(text) > 0) return Number(text) * 1000;
  throw new UsageError(
    `--poll ${text} is not a number of seconds.`,
    'Write seconds from 0.1 to 9999.9 with one decimal at most, as --poll 2 or --poll 0.5.',
  );
}

/** Reads a day of an option, `2026-01-31`. @throws UsageError */
export function readDay(option: string, text: string | undefined): LocalDate | undefined {
  if (text !== undefined && !isLocalDate(text)) {
    const given: string = text;
    throw new UsageError(`${option} ${given} is not a day.`, `Write it as ${option} 2026-01-31.`);
  }
  return text;
}
