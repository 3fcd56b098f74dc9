import type { Bank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';
import { BankUnavailable } from '../bank/outcome.ts';
import type { Clock } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound } from '../core/errors.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import type { PayIn } from './model.ts';
import { readPayIn } from './store.ts';
import { payInTransition } from './transition.ts';

type CancelContext = Omit<TransitionContext, 'at'> & { readonly now: Clock; readonly bank: Pick<Bank, 'charges'> };

/**
 * Cancels a pending pay-in, after the bank removed its charge; a canceled one stays as it is.
 * @throws RequestError 404; 409 in any other status. @throws BankUnavailable: nothing was written.
 */
export async function cancelPendingPayIn(context: CancelContext, id: string): Promise<PayIn> {
  const { store, companyId, now, bank } = context;
  const read = () => readPayIn(store, companyId, id);
  return commitTransition<PayIn | undefined, PayIn>(context, read, async (payIn) => {
    if (payIn === undefined) throw notFound('Pay-in');
    if (payIn.status === 'CANCELED') return { unchanged: payIn };
    const at = now();
    // What section 3 forbids is refused before the bank is asked.
    const transition = payInTransition({ ...context, at }, payIn, { outcome: 'CANCELED' }, 'service');
    if (!(await removeCharge(bank, payIn, { companyId, at })))
      throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'The pay-in is being paid: the bank cannot stop it.');
    return transition;
  });
}

/**
 * Removes a charge at the bank, which alone knows whether it is being paid: then false. A charge that is gone while the
 * pay-in is pending does no harm: the pay-in is canceled or expires. @throws BankUnavailable when the bank does not
 * say.
 */
export async function removeCharge(
  { charges }: Pick<Bank, 'charges'>,
  { conciliationId }: PayIn,
  context: RequestContext,
): Promise<boolean> {
  const { outcome } = await charges.remove(conciliationId, context);
  if (outcome === 'DONE') return true;
  // Refused or unknown: what counts is what became of the charge.
  const found = await charges.find(conciliationId, context);
  if (found.outcome === 'DONE' && found.result.state === 'REMOVED') return true;
  if (outcome === 'REFUSED') return false;
  throw new BankUnavailable('It is not known whether the bank took the charge away.');
}
