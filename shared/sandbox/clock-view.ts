import type * as z from 'zod';
import type { ClockRecord, TurnedClockRecord } from './clock-contract.ts';
import type { CaughtUp, TurnedClock } from './clock.ts';

/** A clock as a partner sees it; the milliseconds of its offset are left out. */
export function clockView({ now, offsetMs }: TurnedClock): z.output<typeof ClockRecord> {
  return { now, offsetSeconds: Math.floor(offsetMs / 1000) };
}

/** A clock after it was turned, and what the call did. */
export function turnedClockView(clock: TurnedClock, { jobs, remaining }: CaughtUp): z.output<typeof TurnedClockRecord> {
  return {
    ...clockView(clock),
    jobsRun: jobs.length,
    remaining,
    jobs: jobs.map(({ kind, resource: { type, id }, deliveryIds }) => ({
      kind,
      resource: { type, id },
      deliveryIds: [...deliveryIds],
    })),
  };
}
