import { scheduledPaymentNoLongerDue, readCharge } from '../persistence/scheduled-payments.ts';
import { log } from '../runtime/log.ts';
import type { ChargeBankContext } from './tell-bank.ts';
import { tellBank } from './tell-bank.ts';
import type { DueRun } from './work-due.ts';

/**
 * Sees to it that the bank has every command of a payment: what it may have already it is asked for first. False when
 * it could not be asked: the next run goes on.
 */
export async function finishCommands(
  context: ChargeBankContext & Pick<DueRun, 'remainingMs'>,
  id: string,
): Promise<boolean> {
  const { store, companyId, remainingMs } = context;
  const charge = await readCharge(store, companyId, id);
  // The index is read with a delay: what moved meanwhile needs nothing any more.
  if (charge?.payment.untold === undefined) return true;
  if (await tellBank(context, charge, { remainingMs })) {
    await store.writeOne(scheduledPaymentNoLongerDue(companyId, charge.payment));
    return true;
  }
  log('warn', 'bank not yet told of a scheduled payment', { companyId, paymentId: id });
  return false;
}
