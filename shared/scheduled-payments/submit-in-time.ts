import type { ChargeCommand, ScheduledCharge } from './model.ts';
import { errorFields, log } from '../platform/log.ts';
import type { ChargeBankContext } from './submit-charge.ts';
import { tellBank } from './submit-charge.ts';

/**
 * When the last answer of the bank is waited for, in milliseconds from the request's start: what was refused must still
 * be written down before the function ends (`endpointFunction.timeoutSeconds`).
 */
const givenWithinMs = 7500;

/** Tells the bank within a request. Everything is committed already: what goes wrong here is done by the worker. */
export async function giveToBank(
  context: ChargeBankContext,
  charge: ScheduledCharge,
  given: { readonly fresh: ChargeCommand; readonly startedMs: number; readonly elapsedMs: () => number },
): Promise<void> {
  const { companyId, requestId } = context;
  const { fresh, startedMs, elapsedMs } = given;
  const where = { companyId, requestId, paymentId: charge.payment.id };
  try {
    const remainingMs = (): number => startedMs + givenWithinMs - elapsedMs();
    const told = await tellBank(context, charge, { fresh, remainingMs });
    if (told === 'OPEN') log('warn', 'bank not yet told of a scheduled payment', where);
  } catch (error) {
    log('error', 'bank not yet told of a scheduled payment', { ...where, ...errorFields(error) });
  }
}
