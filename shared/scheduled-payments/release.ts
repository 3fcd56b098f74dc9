import { untilCommitted } from '../platform/commit.ts';
import { readCharge } from './store.ts';
import { moveScheduledPayment } from './transition.ts';
import type { BankTold, ChargeBankContext } from './submit-charge.ts';
import { tellBank } from './submit-charge.ts';
import type { DueRun } from '../platform/jobs/work-due.ts';

/**
 * Lets a payment out of `INITIAL` whose window has opened, and tells the bank. `NOTHING` for one that was canceled
 * meanwhile.
 */
export async function releasePayment(
  context: ChargeBankContext & Pick<DueRun, 'remainingMs'>,
  id: string,
): Promise<BankTold | 'NOTHING'> {
  const { store, companyId, now, remainingMs } = context;
  const released = await untilCommitted(async () => {
    const charge = await readCharge(store, companyId, id);
    if (charge?.payment.releaseAt === undefined) return 'NOTHING';
    const facts = { trigger: 'WINDOW_OPENED', at: now() } as const;
    const { committed, moved } = await moveScheduledPayment(context, charge, facts, 'service');
    return committed.ok ? { ...charge, payment: moved.payment } : undefined;
  });
  return released === 'NOTHING' ? released : tellBank(context, released, { fresh: 'SCHEDULE', remainingMs });
}
