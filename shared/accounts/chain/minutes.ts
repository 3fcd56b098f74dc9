import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';

/** A minute of UTC, `2026-01-15T15:04`. */
export type Minute = string;

export function minuteOf(instant: Instant): Minute {
  return instant.slice(0, 16);
}

export function beginOf(minute: Minute): Instant {
  return `${minute}:00.000Z`;
}

/** The first moment after a minute. */
export function endOf(minute: Minute): Instant {
  return plusSeconds(beginOf(minute), 60);
}

export function minuteAfter(minute: Minute): Minute {
  return minuteOf(endOf(minute));
}

export function minuteBefore(minute: Minute): Minute {
  return minuteOf(plusSeconds(beginOf(minute), -60));
}
