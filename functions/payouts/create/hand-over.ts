import type { RequestOf } from '#shared/contract/contract.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import { tedSendingTime } from '#shared/payouts/ted-calendar.ts';
import { submitPayout } from '#shared/payouts/submit.ts';
import type { PayingDependencies } from '#functions/banks.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { CreatePayout } from './contract.ts';

type Request = RequestOf<typeof CreatePayout>;

/**
 * How long the bank's answers are waited for, in milliseconds from the request's start: a refusal must still be written
 * before the function ends (`endpointFunction.timeoutSeconds`).
 */
export const handedOverWithinMs = 7500;

/**
 * Hands the payout to the bank. It exists already: what fails here, or finds no time, is left to the worker
 * `submit-payouts`.
 * @param startedMs the request's start on `deps.elapsedMs`
 */
export async function handOver(
  { caller: { companyId }, requestId }: Request,
  deps: PayingDependencies,
  order: PayoutWithPayments,
  startedMs: number,
): Promise<void> {
  const { createdAt, sendAt, id: payoutId, paymentMethod } = order.payout;
  const { store, ids, bank, realNow, elapsedMs } = deps;
  const at = deps.now();
  const isClosed = paymentMethod === 'TED' && tedSendingTime(at) !== at;
  if (sendAt !== createdAt || isClosed) return;
  const context = { store, ids, bank, at, realNow, companyId, requestId };
  const remainingMs = (): number => startedMs + handedOverWithinMs - elapsedMs();
  try {
    const sent = await submitPayout(context, order, { time: 'FIRST', remainingMs });
    if (!sent) log('warn', 'payout not yet submitted', { companyId, requestId, payoutId });
  } catch (error) {
    log('error', 'payout not yet submitted', { companyId, requestId, payoutId, ...errorFields(error) });
  }
}
