import type { CommandEnd } from '../command-end.ts';
import type { ChargeInstruction, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';
import { reservedDescriptions } from './reserved.ts';

/**
 * Takes every charge and collects none by itself. It keeps no memory: what becomes of a charge follows from its
 * description, and asked for one it has never seen it.
 */
export function simulatedRecurringCharges(): UncheckedRecurringCharges {
  return {
    whoResends: 'us',
    schedule: (charge) => Promise.resolve(endOf(charge)),
    withdraw: () => Promise.resolve({ end: 'DONE', facts: {} }),
    find: () => Promise.resolve({ end: 'NEVER_SEEN' }),
  };
}

function endOf({ description }: ChargeInstruction): CommandEnd<object> {
  if (description === reservedDescriptions.silent) return { end: 'UNKNOWN' };
  if (description === reservedDescriptions.refused)
    return { end: 'REFUSED', code: 'AB10', reason: 'The bank of the payer does not take the charge.' };
  return { end: 'DONE', facts: {} };
}
