import { createHash } from 'node:crypto';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import type { RequestContext, CommandOutcome, FoundCommand, UncheckedPort } from '../outcome.ts';
import { reservedDescriptions } from './reserved.ts';
import { chargeLocation } from '#shared/core/br-code/location.ts';
import type { Charges, OpenedCharge } from '../ports/charges.ts';
import type { Refunds } from '../ports/refunds.ts';
import { recurrenceId } from '#shared/core/identifiers.ts';
import type { Ids } from '#shared/core/identifiers.ts';
import type { OpenedRecurrence, Recurrences } from '../ports/recurrences.ts';
import type { RecurringCommand, UncheckedRecurringCharges } from '../ports/recurring-charges.ts';

/** Whether this command times out at the simulated bank: the first time, if its description asks for that. */
type SimulatedTimeout = (
  description: string | undefined,
  reference: string,
  context: RequestContext,
) => Promise<boolean>;
type Environment = { readonly pixHost: string; readonly ispb: string; readonly isTimeout: SimulatedTimeout };

const rememberedSeconds = 86_400;

/** Remembers for a day which commands timed out; commands with any other description cost nothing. */
export function simulatedTimeouts(store: Store): SimulatedTimeout {
  return async (description, reference, { companyId, at }) => {
    if (description !== reservedDescriptions.timeout) return false;
    const expiresAt = epochSeconds(plusSeconds(at, rememberedSeconds));
    const put = { ...keys.simulatedTimeout(companyId, reference), entity: 'SIMULATED_TIMEOUT', expiresAt };
    const { ok } = await store.writeOne({ put, when: { is: 'absent' } });
    return ok;
  };
}

/** The simulated bank remembers its timeouts alone. */
const neverSeen = () => Promise.resolve({ outcome: 'NEVER_SEEN' });
const done = () => Promise.resolve({ outcome: 'DONE', result: {} });

/** The outcome that the description of a command asks for. */
async function outcomeFor<Result>(
  { description, reference }: { readonly description?: string; readonly reference: string },
  context: RequestContext,
  isTimeout: SimulatedTimeout,
  {
    result,
    refused,
  }: { readonly result: Result; readonly refused: { readonly code?: string; readonly reason: string } },
): Promise<CommandOutcome<Result>> {
  if (description === reservedDescriptions.refused) return { outcome: 'REFUSED', ...refused };
  return (await isTimeout(description, reference, context)) ? { outcome: 'UNKNOWN' } : { outcome: 'DONE', result };
}

/** Opens every cob under the order's `txid`, which is also in its location: a repetition gets the same response. */
export function simulatedCharges({ pixHost, isTimeout }: Omit<Environment, 'ispb'>): UncheckedPort<Charges> {
  return {
    open: (order, context) => {
      const { reference } = order;
      const location = chargeLocation(pixHost, reference);
      const result: OpenedCharge = { txid: reference, location, state: 'ACTIVE' };
      const refused = { reason: 'The bank did not accept the charge.' };
      return outcomeFor(order, context, isTimeout, { result, refused });
    },
    find: neverSeen,
    remove: done,
  };
}

/** Accepts every devolução and settles none by itself. */
export function simulatedRefunds({ isTimeout }: Pick<Environment, 'isTimeout'>): UncheckedPort<Refunds> {
  const refused = { code: 'AC06', reason: 'The account of the payer is blocked.' };
  return {
    request: (order, context) => outcomeFor(order, context, isTimeout, { result: {}, refused }),
    find: neverSeen,
  };
}

/**
 * Opens every rec. Its id and location follow from our reference and the day, so a repetition on that day gets the same
 * response. Accepts every cancellation and settles none by itself.
 */
export function simulatedRecurrences({ pixHost, ispb, isTimeout }: Environment): UncheckedPort<Recurrences> {
  return {
    open: (order, context) => {
      const digest = createHash('sha256').update(order.reference).digest('hex');
      const ids: Pick<Ids, 'alphanumeric'> = { alphanumeric: (length) => digest.slice(-length) };
      const { allowChargeAfterDueDate: retriesAllowed } = order;
      const result: OpenedRecurrence = {
        recurrenceId: recurrenceId({ retriesAllowed, ispb, instant: context.at, ids }),
        location: `${pixHost}/qr/v2/rec/${digest.slice(0, 32)}`,
      };
      const refused = { reason: 'The bank did not accept the recurrence.' };
      return outcomeFor(order, context, isTimeout, { result, refused });
    },
    find: neverSeen,
    cancel: done,
    findCancellation: neverSeen,
  };
}

/** Accepts every cobr and collects none by itself. It keeps no memory: each outcome follows from the description. */
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

/** A command that timed out never arrived. */
function findOutcome(command: RecurringCommand): FoundCommand<object> {
  const response = outcomeOf(command);
  return response.outcome === 'UNKNOWN' ? { outcome: 'NEVER_SEEN' } : response;
}
