import type * as z from 'zod';
import type { ClockRecord, TurnedClockRecord } from './clock-contract.ts';
import type { DueJobsResult, ClockReading } from './clock.ts';

/** A clock as partners see it, in whole seconds. */
export function clockView({ now, offsetMs }: ClockReading): z.output<typeof ClockRecord> {
  return { now, offsetSeconds: Math.floor(offsetMs / 1000) };
}

export function advancedClockView(
  clock: ClockReading,
  { jobs, remaining }: DueJobsResult,
): z.output<typeof TurnedClockRecord> {
  return {
    ...clockView(clock),
    jobsRun: jobs.length,
    remaining,
    jobs: jobs.map(({ deliveryIds, ...job }) => ({ ...job, deliveryIds: [...deliveryIds] })),
  };
}
