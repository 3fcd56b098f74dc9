import { chargeLocation } from '#shared/core/charge-location.ts';
import type { Asking, CommandEnd } from '../outcome.ts';
import type { Unchecked } from '../checked-call.ts';
import type { ChargeOrder, Charges, OpenedCharge } from '../ports/charges.ts';
import { reservedDescriptions } from './reserved.ts';
import type { Silence } from './simulated-timeout.ts';

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
