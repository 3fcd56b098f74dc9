import * as z from 'zod';
import { Timestamp } from './text.ts';

/** The clock of a company, as it is shown. */
export const ClockRecord = z
  .strictObject({
    now: Timestamp.meta({ description: 'The company’s time: the clock goes on from here.' }),
    offsetSeconds: z
      .int()
      .min(0)
      .meta({ description: 'How far it is ahead of real time, whole seconds; 0 is real time.', examples: [86400] }),
  })
  .meta({ description: 'The clock of a company.' });
