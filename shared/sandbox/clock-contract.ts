import * as z from 'zod';
import type { ClockReading, DueJobsResult } from './clock.ts';
import { clockJobKinds, clockJobResourceTypes, jobsAtMost } from './clock.ts';
import { Id, Timestamp } from '../contract/text.ts';

export const ClockRecord = z
  .strictObject({
    now: Timestamp.meta({ description: 'The company’s time: the clock goes on from here.' }),
    offsetSeconds: z
      .int()
      .min(0)
      .meta({ description: 'How far it is ahead of real time, whole seconds; 0 is real time.', examples: [86400] }),
  })
  .meta({ description: 'The clock of a company.' });

export const ClockJobResource = z
  .strictObject({
    type: z.enum(clockJobResourceTypes).meta({ description: 'What it was due for.' }),
    id: Id.meta({ description: 'Its id.' }),
  })
  .meta({ description: 'What a job was about; a refund is due for its pay-in, a PIX key for its account.' });

export const ClockJobRecord = z
  .strictObject({
    kind: z.enum(clockJobKinds).meta({ description: 'What became due.' }),
    resource: ClockJobResource,
    deliveryIds: z.array(Id).meta({
      description: 'The notifications that this job caused, as `GET /order/v1/webhook/deliveries/{id}` reads.',
    }),
  })
  .meta({ description: 'A job that became due and was run.' });

export const TurnedClockRecord = ClockRecord.extend({
  jobsRun: z
    .int()
    .min(0)
    .meta({ description: 'Jobs that this call ran.', examples: [1] }),
  remaining: z
    .int()
    .min(0)
    .meta({ description: 'Jobs that are due and not run yet, counted up to 1000.', examples: [0] }),
  jobs: z.array(ClockJobRecord).max(jobsAtMost).meta({ description: 'The jobs that this call ran, in their order.' }),
}).meta({ description: 'The clock after it was turned.' });

/** Returns a clock as the API shows it, with its offset in whole seconds. */
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
