import type { Again, Bank } from '../bank/bank.ts';
import { requireOutcome, submitOnce } from '../bank/bank.ts';
import type { CommandOutcome, RequestContext } from '../bank/outcome.ts';
import type { ChargeState } from '../bank/ports/charges.ts';
import type { Clock } from '../core/brasilia-time.ts';
import { forbiddenByState, notFound, transitionNotAllowed } from '../core/errors.ts';
import { triggersFrom } from '../core/transition.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { applyChargeState } from './apply-state.ts';
import type { PayIn } from './model.ts';
import { payInTransitions } from './states.ts';
import { readPayIn } from './store.ts';
import type { AlsoEnding } from './transition.ts';
import { unpaidTransition } from './transition.ts';

type RemovalContext = Omit<TransitionContext, 'at'> &
  AlsoEnding & { readonly now: Clock; readonly bank: Pick<Bank, 'charges'> };
/** `canceledBy`: the client whose request it is. */
type CancelContext = RemovalContext & { readonly canceledBy: string };

/**
 * Removes a charge at the bank. The returned state of the charge says whether it was paid: only the bank knows. The
 * pay-in is not changed yet; if the caller fails after the removal, a repetition succeeds again.
 */
export async function removeCharge(
  { charges }: Pick<Bank, 'charges'>,
  { conciliationId, accountId, ownerBank, connection }: PayIn,
  context: Omit<RequestContext, 'connection'>,
): Promise<CommandOutcome<ChargeState>> {
  const order = { reference: conciliationId, receiver: { ...ownerBank, id: accountId } };
  return submitOnce(charges.remove, order, { ...context, connection }, { again: removeAgain, whenUnknown: 'ASK' });
}

/** A removal can be repeated: the bank gives the same response again. */
const removeAgain: Again = { repetition: 'ANSWERED_AGAIN', mayRepeat: () => Promise.resolve(true) };

/**
 * Applies the bank's state of a charge after a removal to its pay-in. Returns true when the pay-in can now end unpaid,
 * because its charge is over. Every removal uses this rule.
 */
export async function endsUnpaid(
  context: TransitionContext & AlsoEnding,
  id: string,
  state: ChargeState,
): Promise<boolean> {
  if (state.status === 'REMOVED' && state.payments.length === 0) return true;
  await applyChargeState(context, id, state);
  // Paid with another amount: that amount is credited, and no further payment can come.
  const isOver = state.status === 'REMOVED' || (state.status === 'PAID' && state.payments.length > 0);
  return isOver && (await readPayIn(context.store, context.companyId, id))?.status === 'PENDING';
}

/**
 * Cancels a pending pay-in, after the bank removed its charge. A canceled pay-in stays as it is. A pay-in that was paid
 * meanwhile becomes `PAID`.
 * @throws RequestError 404; 409 in any other status. @throws BankUnavailable: nothing was written.
 */
export async function cancelPendingPayIn(context: CancelContext, id: string): Promise<PayIn> {
  const { store, companyId, now, bank, canceledBy } = context;
  const read = () => readPayIn(store, companyId, id);
  return commitTransition<PayIn | undefined, PayIn>(context, read, async (payIn) => {
    if (payIn === undefined) throw notFound('Pay-in');
    if (payIn.status === 'CANCELED') return { unchanged: payIn };
    const at = now();
    // A transition that section 3 forbids is refused before the bank is called.
    const event = { outcome: 'CANCELED', canceledBy } as const;
    const transition = await unpaidTransition({ ...context, at }, payIn, event, 'service');
    const removed = requireOutcome(await removeCharge(bank, payIn, { companyId, at }));
    if (removed.outcome === 'DONE' && (await endsUnpaid({ ...context, at }, id, removed.state))) return transition;
    const current = await read();
    if (current !== undefined && current.status !== 'PENDING')
      throw transitionNotAllowed(current.status, 'CANCELED', triggersFrom(payInTransitions, current.status));
    throw forbiddenByState('id', 'TRANSITION_NOT_ALLOWED', 'The pay-in is being paid: the bank cannot stop it.');
  });
}

type Expiry = 'EXPIRED' | 'UNKNOWN' | 'NOTHING_TO_DO';

/**
 * Expires a pay-in whose time has passed, after the bank removed its charge (section 3, by the service). `UNKNOWN`: it
 * is not known whether the charge was paid, and the pay-in stays due.
 */
export async function expirePayIn(context: RemovalContext, id: string): Promise<Expiry> {
  const { store, companyId, now, bank } = context;
  const read = () => readPayIn(store, companyId, id);
  return commitTransition<PayIn | undefined, Expiry>(context, read, async (payIn) => {
    const at = now();
    if (payIn?.status !== 'PENDING' || payIn.expireDateTime > at) return { unchanged: 'NOTHING_TO_DO' };
    const removed = await removeCharge(bank, payIn, { companyId, at });
    if (removed.outcome !== 'DONE') return { unchanged: 'UNKNOWN' };
    if (!(await endsUnpaid({ ...context, at }, id, removed.state)))
      return { unchanged: (await read())?.status === 'PENDING' ? 'UNKNOWN' : 'NOTHING_TO_DO' };
    const expired = await unpaidTransition({ ...context, at }, payIn, { outcome: 'EXPIRED' }, 'service');
    return { ...expired, result: 'EXPIRED' };
  });
}
