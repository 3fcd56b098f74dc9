import type { Unchecked } from '../checked-call.ts';
import type { Refunds } from '../ports/refunds.ts';
import { reservedDescriptions } from './reserved.ts';
import type { Silence } from './simulated-timeout.ts';

/** Takes every refund and settles none by itself. */
export function simulatedRefunds({ silence }: { readonly silence: Silence }): Unchecked<Refunds> {
  return {
    request: async ({ reference, description }, asking) => {
      if (description === reservedDescriptions.refused)
        return { end: 'REFUSED', code: 'AC06', reason: 'The account of the payer is blocked.' };
      return (await silence(description, reference, asking)) ? { end: 'UNKNOWN' } : { end: 'DONE', facts: {} };
    },
    find: () => Promise.resolve({ end: 'NEVER_SEEN' }),
  };
}
