import type { RequestOf } from '../../../shared/contracts/contract.ts';
import type { PayoutWithPayments } from '../../../shared/domain/payout.ts';
import { submitPayout } from '../../../shared/operations/submit-payout.ts';
import type { BankDependencies } from '../../../shared/runtime/bank-dependencies.ts';
import { errorFields, log } from '../../../shared/runtime/log.ts';
import type { CreatePayout } from './contract.ts';

type Request = RequestOf<typeof CreatePayout>;

/** The payout is created already: what goes wrong here is done again by the worker that submits what is due. */
export async function handOver(
  { caller: { companyId }, requestId }: Request,
  deps: BankDependencies,
  order: PayoutWithPayments,
): Promise<void> {
  const { createdAt: at, sendAt, id: payoutId } = order.payout;
  if (sendAt !== at) return;
  const { store, ids, bank, settings } = deps;
  try {
    const sent = await submitPayout({ store, ids, bank, at, ispb: settings.ispb, companyId, requestId }, order);
    if (!sent) log('warn', 'payout not yet submitted', { companyId, requestId, payoutId });
  } catch (error) {
    log('error', 'payout not yet submitted', { companyId, requestId, payoutId, ...errorFields(error) });
  }
}
