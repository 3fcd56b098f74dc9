import type * as z from 'zod';
import type { ClockRecord } from '../contracts/clock.ts';
import type { Instant } from '../domain/brasilia-time.ts';

/** A clock as a partner sees it; the milliseconds of its offset are left out. */
export function clockView({
  now,
  offsetMs,
}: {
  readonly now: Instant;
  readonly offsetMs: number;
}): z.output<typeof ClockRecord> {
  return { now, offsetSeconds: Math.floor(offsetMs / 1000) };
}
