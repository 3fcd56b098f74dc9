import { nextChargePoll } from '../bank/polling.ts';
import { applyChargeAttempts } from './apply-state.ts';
import { chargeInstruction } from './instruction.ts';
import type { RetryContext } from './retry.ts';
import { retryCharge } from './retry.ts';
import { chargePolledAt, readCharge } from './store.ts';
import { isPastExecution } from './window.ts';

/** `MISSED`: the bank created no resend before 21:00. `UNKNOWN`: the bank does not give the state. */
type PolledCharge = 'ANSWERED' | 'MISSED' | 'UNKNOWN';

/**
 * Polls the bank for the state of a payment that it has, or of the resend that it must create. The time of the next
 * poll is written before this one, so that only one of two concurrent runs polls.
 */
export async function pollCharge(context: RetryContext, id: string): Promise<PolledCharge> {
  const { store, bank, companyId, now, realNow } = context;
  const charge = await readCharge(store, companyId, id);
  // The index lags: a command may be due before the poll, or the payment may have ended.
  if (charge?.payment.pollAt === undefined || charge.payment.pendingCommands !== undefined) return 'ANSWERED';
  const { settlementDate, pollAt } = charge.payment;
  if (pollAt > realNow()) return 'ANSWERED';
  const claimed = await store.writeOne(
    chargePolledAt(companyId, charge.payment, nextChargePoll(settlementDate, realNow())),
  );
  if (!claimed.ok) return 'ANSWERED';
  const found = await bank.recurringCharges.schedule.find(chargeInstruction(charge), {
    companyId,
    connection: charge.terms.connection,
    at: now(),
  });
  if (found.outcome !== 'DONE') return 'UNKNOWN';
  const { payment } = await applyChargeAttempts(context, id, found.state);
  if (payment.scheduledRetry?.by !== 'bank' || !isPastExecution(payment.settlementDate, now())) return 'ANSWERED';
  const { outcome } = await retryCharge(context, id);
  return outcome === 'MISSED' ? 'MISSED' : 'ANSWERED';
}
