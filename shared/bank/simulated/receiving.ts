import { createHash } from 'node:crypto';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { reservedDescriptions } from './reserved.ts';
import { chargeLocation } from '#shared/core/br-code/location.ts';
import { endToEndId, recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { CommandOutcome, FoundCommand, RequestContext } from '../outcome.ts';
import type { UncheckedCharges } from '../ports/charges.ts';
import type { UncheckedRefunds } from '../ports/refunds.ts';
import type { UncheckedRecurrences } from '../ports/recurrences.ts';
import type { ChargeInstruction, ChargeWithdrawal, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';

/**
 * Whether this command times out at the simulated bank. It does so the first time, if its description is reserved for
 * it.
 */
type SimulatedTimeout = (
  description: string | undefined,
  reference: string,
  context: RequestContext,
) => Promise<boolean>;
type Environment = { readonly pixHost: string; readonly ispb: string; readonly isTimeout: SimulatedTimeout };

const rememberedSeconds = 86_400;

/** Stores for a day which commands timed out. Commands with any other description need no write. */
export function simulatedTimeouts(store: Store): SimulatedTimeout {
  return async (description, reference, { companyId, at }) => {
    if (description !== reservedDescriptions.timeout) return false;
    const expiresAt = epochSeconds(plusSeconds(at, rememberedSeconds));
    const put = { ...keys.simulatedTimeout(companyId, reference), entity: 'SIMULATED_TIMEOUT', expiresAt };
    const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
    return ok;
  };
}

const inTime: SimulatedTimeout = () => Promise.resolve(false);

/** A lookup finds nothing: the simulated bank stores only its timeouts. */
const neverSeen = () => Promise.resolve({ outcome: 'NEVER_SEEN' });

/** Returns the outcome that the description of a command selects. */
async function outcomeFor<State>(
  { description, reference }: { readonly description?: string; readonly reference: string },
  context: RequestContext,
  isTimeout: SimulatedTimeout,
  { state, refused }: { readonly state: State; readonly refused: { readonly code?: string; readonly reason: string } },
): Promise<CommandOutcome<State>> {
  if (description === reservedDescriptions.refused) return { outcome: 'REFUSED', ...refused };
  return (await isTimeout(description, reference, context)) ? { outcome: 'UNKNOWN' } : { outcome: 'DONE', state };
}

/**
 * Opens cobs under the order's `txid`, which is also in the location, so a repetition gets the same response. A
 * reserved description is refused or times out.
 */
export function simulatedCharges({ pixHost, isTimeout }: Omit<Environment, 'ispb'>): UncheckedCharges {
  const stateOf = (reference: string, status: 'ACTIVE' | 'REMOVED') => {
    return { txid: reference, location: chargeLocation(pixHost, reference), status };
  };
  return {
    open: {
      submit: (order, context) => {
        const refused = { reason: 'The bank did not accept the charge.' };
        return outcomeFor(order, context, isTimeout, { state: stateOf(order.reference, 'ACTIVE'), refused });
      },
      find: neverSeen,
    },
    remove: {
      submit: ({ reference }) => Promise.resolve({ outcome: 'DONE', state: stateOf(reference, 'REMOVED') }),
      find: neverSeen,
    },
  };
}

/** Accepts returns (devoluções) without settling them. A reserved description is refused or times out. */
export function simulatedRefunds({ isTimeout }: Pick<Environment, 'isTimeout'>): UncheckedRefunds {
  const refused = { code: 'AC06', reason: 'The account of the payer is blocked.' };
  return {
    submit: (order, context) => outcomeFor(order, context, isTimeout, { state: { status: 'PENDING' }, refused }),
    find: neverSeen,
  };
}

/**
 * Opens recs. Id and location follow from our reference and the day, so a repetition on that day gets the same
 * response. A reserved description is refused or times out. Accepts every cancellation without carrying it out.
 */
export function simulatedRecurrences({ pixHost, ispb, isTimeout }: Environment): UncheckedRecurrences {
  return {
    open: {
      submit: (order, context) => {
        const digest = createHash('sha256').update(order.reference).digest('hex');
        const ids: Pick<Ids, 'alphanumeric'> = { alphanumeric: (length) => digest.slice(-length) };
        const { allowChargeAfterDueDate: retriesAllowed } = order;
        const state = {
          recurrenceId: recurrenceId({ retriesAllowed, ispb, instant: context.at, ids }),
          location: `${pixHost}/qr/v2/rec/${digest.slice(0, 32)}`,
        };
        const refused = { reason: 'The bank did not accept the recurrence.' };
        // With a first charge, the charge was submitted before and has timed out already.
        const hasCharge = order.firstChargeTxid !== undefined;
        return outcomeFor(order, context, hasCharge ? inTime : isTimeout, { state, refused });
      },
      find: neverSeen,
    },
    cancel: { submit: () => Promise.resolve({ outcome: 'DONE', state: {} }), find: neverSeen },
    read: neverSeen,
  };
}

/**
 * Accepts cobrs without collecting them. It keeps no memory: each outcome follows from the description. A charge has
 * its end-to-end id before it is scheduled.
 */
export function simulatedRecurringCharges(bank: {
  readonly ispb: string;
  readonly ids: Ids;
}): UncheckedRecurringCharges {
  const commandHandlers = {
    submit: (command: ChargeInstruction | ChargeWithdrawal) => Promise.resolve(outcomeOf(command)),
    find: (command: ChargeInstruction | ChargeWithdrawal) => Promise.resolve(findOutcome(command)),
  };
  return {
    prepare: (_order, { at }) => Promise.resolve({ endToEndId: endToEndId(bank.ispb, at, bank.ids) }),
    schedule: commandHandlers,
    withdraw: commandHandlers,
  };
}

function outcomeOf(command: ChargeInstruction | ChargeWithdrawal): CommandOutcome<object> {
  const description = 'description' in command ? command.description : undefined;
  if (description === reservedDescriptions.timeout) return { outcome: 'UNKNOWN' };
  if (description === reservedDescriptions.refused)
    return { outcome: 'REFUSED', code: 'AB10', reason: 'The bank of the payer does not take the charge.' };
  return { outcome: 'DONE', state: {} };
}

/** Returns the result of a lookup: a command that timed out never reached the bank. */
function findOutcome(command: ChargeInstruction | ChargeWithdrawal): FoundCommand<object> {
  const response = outcomeOf(command);
  return response.outcome === 'UNKNOWN' ? { outcome: 'NEVER_SEEN' } : response;
}
