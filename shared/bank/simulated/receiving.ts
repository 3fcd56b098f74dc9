import { createHash } from 'node:crypto';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { reservedDescriptions } from './reserved.ts';
import { chargeLocation } from '#shared/core/br-code/location.ts';
import type { ChargeOrder, Charges, OpenedCharge } from '../ports/charges.ts';
import type { Refunds } from '../ports/refunds.ts';
import { recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { OpenedRecurrence, RecurrenceOrder, Recurrences } from '../ports/recurrences.ts';
import type { RecurringCommand, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';

/**
 * Whether this command times out at the simulated bank: the first time, if its description asks for that.
 */
type SimulatedTimeout = (
  description: string | undefined,
  reference: string,
  context: RequestContext,
) => Promise<boolean>;

const rememberedSeconds = 86_400;

/**
 * Remembers in the table, for a day, which commands timed out; commands with any other description cost nothing.
 */
export function simulatedTimeouts(store: Store): SimulatedTimeout {
  return async (description, reference, { companyId, at }) => {
    if (description !== reservedDescriptions.timeout) return false;
    const expiresAt = epochSeconds(plusSeconds(at, rememberedSeconds));
    const put = { ...keys.simulatedTimeout(companyId, reference), entity: 'SIMULATED_TIMEOUT', expiresAt };
    const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
    return ok;
  };
}

/**
 * Opens every charge under the `txid` that is asked for and answers at once; the `txid` in its address leads back to
 * the order. It keeps no memory but of its timeouts: asked by reference it has never seen a charge, and opening one
 * again gives the same answer.
 */
export function simulatedCharges(environment: {
  readonly pixHost: string;
  readonly isTimeout: SimulatedTimeout;
}): UncheckedPort<Charges> {
  const { pixHost, isTimeout } = environment;
  const open = async (
    { reference, description }: ChargeOrder,
    context: RequestContext,
  ): Promise<CommandOutcome<OpenedCharge>> => {
    if (description === reservedDescriptions.refused)
      return { outcome: 'REFUSED', reason: 'The bank did not accept the charge.' };
    if (await isTimeout(description, reference, context)) return { outcome: 'UNKNOWN' };
    const location = chargeLocation(pixHost, reference);
    return { outcome: 'DONE', result: { txid: reference, location, state: 'ACTIVE' } };
  };
  return {
    open,
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
    remove: () => Promise.resolve({ outcome: 'DONE', result: {} }),
  };
}

/** Accepts every refund and settles none by itself. */
export function simulatedRefunds({ isTimeout }: { readonly isTimeout: SimulatedTimeout }): UncheckedPort<Refunds> {
  return {
    request: async ({ reference, description }, context) => {
      if (description === reservedDescriptions.refused)
        return { outcome: 'REFUSED', code: 'AC06', reason: 'The account of the payer is blocked.' };
      return (await isTimeout(description, reference, context))
        ? { outcome: 'UNKNOWN' }
        : { outcome: 'DONE', result: {} };
    },
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
  };
}

type Environment = { readonly pixHost: string; readonly ispb: string; readonly isTimeout: SimulatedTimeout };

/**
 * Opens every recurrence and answers at once: its id and address follow from our reference and the day, so that opening
 * it again that day gives the same answer. Accepts every cancellation and answers none by itself.
 */
export function simulatedRecurrences({ pixHost, ispb, isTimeout }: Environment): UncheckedPort<Recurrences> {
  const open = async (order: RecurrenceOrder, context: RequestContext): Promise<CommandOutcome<OpenedRecurrence>> => {
    const { reference, description, allowChargeAfterDueDate: retriesAllowed } = order;
    if (description === reservedDescriptions.refused)
      return { outcome: 'REFUSED', reason: 'The bank did not accept the recurrence.' };
    if (await isTimeout(description, reference, context)) return { outcome: 'UNKNOWN' };
    const digest = createHash('sha256').update(reference).digest('hex');
    const ids: Pick<Ids, 'alphanumeric'> = { alphanumeric: (length) => digest.slice(-length) };
    const result = {
      recurrenceId: recurrenceId({ retriesAllowed, ispb, instant: context.at, ids }),
      location: `${pixHost}/qr/v2/rec/${digest.slice(0, 32)}`,
    };
    return { outcome: 'DONE', result };
  };
  return {
    open,
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
    cancel: () => Promise.resolve({ outcome: 'DONE', result: {} }),
    findCancellation: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
  };
}

/**
 * Accepts every charge and collects none by itself. It keeps no memory: what becomes of a command follows from its
 * description, also when it is asked for one.
 */
export function simulatedRecurringCharges(): UncheckedRecurringCharges {
  return {
    whoResends: 'us',
    schedule: (charge) => Promise.resolve(outcomeOf(charge)),
    withdraw: (withdrawal) => Promise.resolve(outcomeOf(withdrawal)),
    find: (command) => Promise.resolve(findOutcome(command)),
  };
}

function outcomeOf(command: RecurringCommand): CommandOutcome<object> {
  const description = 'description' in command ? command.description : undefined;
  if (description === reservedDescriptions.timeout) return { outcome: 'UNKNOWN' };
  if (description === reservedDescriptions.refused)
    return { outcome: 'REFUSED', code: 'AB10', reason: 'The bank of the payer does not take the charge.' };
  return { outcome: 'DONE', result: {} };
}

/** What it does not answer never reached it. */
function findOutcome(command: RecurringCommand): FoundCommand<object> {
  const response = outcomeOf(command);
  return response.outcome === 'UNKNOWN' ? { outcome: 'NEVER_SEEN' } : response;
}
