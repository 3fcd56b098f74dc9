import { scheduledPaymentNoLongerDue, readCharge } from './store.ts';
import { log } from '../platform/log.ts';
import type { BankTold, ChargeBankContext } from './submit-charge.ts';
import { tellBank } from './submit-charge.ts';
import type { DueRun } from '../platform/jobs/work-due.ts';

/**
 * Sees to it that the bank has every command of a payment, or that it ends which the bank did not get in time: what the
 * bank may have already it is asked for first. What is `OPEN` the next run goes on with.
 */
export async function finishCommands(
  context: ChargeBankContext & Pick<DueRun, 'remainingMs'>,
  id: string,
): Promise<BankTold> {
  const { store, companyId, remainingMs } = context;
  const charge = await readCharge(store, companyId, id);
  // The index is read with a delay: what moved meanwhile needs nothing any more.
  if (charge?.payment.untold === undefined) return 'TOLD';
  const told = await tellBank(context, charge, { remainingMs });
  if (told === 'OPEN') log('warn', 'bank not yet told of a scheduled payment', { companyId, paymentId: id });
  else await store.writeOne(scheduledPaymentNoLongerDue(companyId, charge.payment));
  return told;
}
