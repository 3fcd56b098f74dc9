import { createHash } from 'node:crypto';
import { recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { Asking, CommandEnd } from '../outcome.ts';
import type { Unchecked } from '../checked-call.ts';
import type { OpenedRecurrence, RecurrenceOrder, Recurrences } from '../ports/recurrences.ts';
import { reservedDescriptions } from './reserved.ts';
import type { Silence } from './simulated-timeout.ts';

type Environment = { readonly pixHost: string; readonly ispb: string; readonly silence: Silence };

/**
 * Opens every recurrence and answers at once: its id and address follow from our reference and the day, so that opening
 * it again that day gives the same answer. Takes every cancellation and answers none by itself.
 */
export function simulatedRecurrences({ pixHost, ispb, silence }: Environment): Unchecked<Recurrences> {
  const open = async (order: RecurrenceOrder, asking: Asking): Promise<CommandEnd<OpenedRecurrence>> => {
    const { reference, description, allowChargeAfterDueDate: retriesAllowed } = order;
    if (description === reservedDescriptions.refused)
      return { end: 'REFUSED', reason: 'The bank did not accept the recurrence.' };
    if (await silence(description, reference, asking)) return { end: 'UNKNOWN' };
    const digest = createHash('sha256').update(reference).digest('hex');
    const ids: Pick<Ids, 'alphanumeric'> = { alphanumeric: (length) => digest.slice(-length) };
    const facts = {
      recurrenceId: recurrenceId({ retriesAllowed, ispb, instant: asking.at, ids }),
      location: `${pixHost}/qr/v2/rec/${digest.slice(0, 32)}`,
    };
    return { end: 'DONE', facts };
  };
  return {
    open,
    find: () => Promise.resolve({ end: 'NEVER_SEEN' }),
    cancel: () => Promise.resolve({ end: 'DONE', facts: {} }),
    findCancellation: () => Promise.resolve({ end: 'NEVER_SEEN' }),
  };
}
