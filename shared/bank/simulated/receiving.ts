import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { Asking, CommandEnd, FoundCommand, Unchecked } from '../outcome.ts';
import { reservedDescriptions } from './reserved.ts';
import { chargeLocation } from '#shared/core/charge-location.ts';
import type { ChargeOrder, Charges, OpenedCharge } from '../ports/charges.ts';
import type { Refunds } from '../ports/refunds.ts';
import { createHash } from 'node:crypto';
import { recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { OpenedRecurrence, RecurrenceOrder, Recurrences } from '../ports/recurrences.ts';
import type { RecurringCommand, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';

/**
 * Whether the simulated bank leaves this command without an answer: the first time, if its description asks for that.
 */
export type Silence = (description: string | undefined, reference: string, asking: Asking) => Promise<boolean>;

const rememberedSeconds = 86_400;

/**
 * Remembers in the table, for a day, what was left without an answer; commands with any other description cost nothing.
 */
export function silenceIn(store: Store): Silence {
  return async (description, reference, { companyId, at }) => {
    if (description !== reservedDescriptions.silent) return false;
    const expiresAt = epochSeconds(plusSeconds(at, rememberedSeconds));
    const put = { ...keys.simulatedSilence(companyId, reference), entity: 'SIMULATED_SILENCE', expiresAt };
    const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
    return ok;
  };
}

/**
 * Opens every charge under the `txid` that is asked for and answers at once; the `txid` in its address leads back to
 * the order. It keeps no memory but of its silence: asked by reference it has never seen a charge, and opening one
 * again gives the same answer.
 */
export function simulatedCharges(environment: {
  readonly pixHost: string;
  readonly silence: Silence;
}): Unchecked<Charges> {
  const { pixHost, silence } = environment;
  const open = async ({ reference, description }: ChargeOrder, asking: Asking): Promise<CommandEnd<OpenedCharge>> => {
    if (description === reservedDescriptions.refused)
      return { end: 'REFUSED', reason: 'The bank did not accept the charge.' };
    if (await silence(description, reference, asking)) return { end: 'UNKNOWN' };
    const location = chargeLocation(pixHost, reference);
    return { end: 'DONE', facts: { txid: reference, location, state: 'ACTIVE' } };
  };
  return {
    open,
    find: () => Promise.resolve({ end: 'NEVER_SEEN' }),
    remove: () => Promise.resolve({ end: 'DONE', facts: {} }),
  };
}

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
