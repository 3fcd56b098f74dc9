import type { Clock, Instant } from './brasilia-time.ts';
import { millisecondsBetween, plusMilliseconds, plusSeconds } from './brasilia-time.ts';
import { forbiddenByState } from './refusal.ts';

/** The last moment that a simulated clock shows: there is room for every date that follows from it. */
export const lastClockTime: Instant = '2099-12-31T23:59:59.999Z';

/** What is asked of a clock: a time to stand at, or whole seconds to go forward by. */
export type ClockTurn = { readonly now: Instant } | { readonly advanceSeconds: number };

/** The time of a company's clock, which runs as the machine's does, so many milliseconds ahead of it. */
export function companyTime(realAt: Instant, offsetMs: number): Instant {
  return plusMilliseconds(realAt, offsetMs);
}

/** The company's clock on top of the machine's. */
export function clockAhead(realNow: Clock, offsetMs: number): Clock {
  return () => companyTime(realNow(), offsetMs);
}

/**
 * Where a clock stands after it was turned, and how far ahead of real time that is, milliseconds.
 * @throws Refusal 409 `OUT_OF_RANGE` for a time that has passed, or that is later than a simulated clock can show.
 */
export function turnClock(
  present: { readonly realAt: Instant; readonly offsetMs: number },
  turn: ClockTurn,
): { readonly now: Instant; readonly offsetMs: number } {
  const shown = companyTime(present.realAt, present.offsetMs);
  const isTime = 'now' in turn;
  const now = isTime ? turn.now : plusSeconds(shown, turn.advanceSeconds);
  const field = isTime ? 'now' : 'advanceSeconds';
  if (now < shown)
    throw forbiddenByState(field, 'OUT_OF_RANGE', `The clock goes forward only; it stands at ${shown} already.`);
  if (now > lastClockTime)
    throw forbiddenByState(
      field,
      'OUT_OF_RANGE',
      `The clock can be set up to ${lastClockTime}; it stands at ${shown}.`,
    );
  return { now, offsetMs: millisecondsBetween(present.realAt, now) };
}
