import type { CommandEnd, FoundCommand } from '../outcome.ts';
import type { RecurringCommand, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';
import { reservedDescriptions } from './reserved.ts';

/**
 * Takes every charge and collects none by itself. It keeps no memory: what becomes of a command follows from its
 * description, also when it is asked for one.
 */
export function simulatedRecurringCharges(): UncheckedRecurringCharges {
  return {
    whoResends: 'us',
    schedule: (charge) => Promise.resolve(endOf(charge)),
    withdraw: (withdrawal) => Promise.resolve(endOf(withdrawal)),
    find: (command) => Promise.resolve(foundEndOf(command)),
  };
}

function endOf(command: RecurringCommand): CommandEnd<object> {
  const description = 'description' in command ? command.description : undefined;
  if (description === reservedDescriptions.silent) return { end: 'UNKNOWN' };
  if (description === reservedDescriptions.refused)
    return { end: 'REFUSED', code: 'AB10', reason: 'The bank of the payer does not take the charge.' };
  return { end: 'DONE', facts: {} };
}

/** What it does not answer never reached it. */
function foundEndOf(command: RecurringCommand): FoundCommand<object> {
  const end = endOf(command);
  return end.end === 'UNKNOWN' ? { end: 'NEVER_SEEN' } : end;
}
