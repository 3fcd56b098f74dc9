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

/**
 * Removes a charge at the bank, which alone knows whether it was paid: the state of the charge is the answer. Until
 * then the pay-in stays as it is, and what the bank removed alone does no harm.
 */
export async function removeCharge(
  { charges }: Pick<Bank, 'charges'>,
  { conciliationId, accountId, ownerBank, connection }: PayIn,
  context: Omit<RequestContext, 'connection'>,
): Promise<CommandOutcome<ChargeState>> {
  const order = { reference: conciliationId, receiver: { ...ownerBank, id: accountId } };
  return submitOnce(charges.remove, order, { ...context, connection }, { again: removeAgain, whenUnknown: 'ASK' });
}

/** Repetition of a removal: it succeeds again. */
const removeAgain: Again = { repetition: 'ANSWERED_AGAIN', mayRepeat: () => Promise.resolve(true) };

/**
 * Moves a pay-in by what the bank says of its charge after a removal. True when it can end unpaid now, because its
 * charge is over: the one rule of every removal.
 */
export async function endsUnpaid(
  context: TransitionContext & AlsoEnding,
  id: string,
  state: ChargeState,
): Promise<boolean> {
  if (state.status === 'REMOVED' && state.payments.length === 0) return true;
  await applyChargeState(context, id, state);
  // Paid by another amount: that is credited, and nothing else can come.
  const isOver = state.status === 'REMOVED' || (state.status === 'PAID' && state.payments.length > 0);
  return isOver && (await readPayIn(context.store, context.companyId, id))?.status === 'PENDING';
}

/**
 * Cancels a pending pay-in, after the bank removed its charge; a canceled one stays as it is. One that was paid
 * meanwhile becomes `PAID`.
 * @throws RequestError 404; 409 in any other status. @throws BankUnavailable: nothing was written.
 */
export async function cancelPendingPayIn(context: RemovalContext, id: string): Promise<PayIn> {
  const { store, companyId, now, bank } = context;
  const read = () => readPayIn(store, companyId, id);
  return commitTransition<PayIn | undefined, PayIn>(context, read, async (payIn) => {
    if (payIn === undefined) throw notFound('Pay-in');
    if (payIn.status === 'CANCELED') return { unchanged: payIn };
    const at = now();
    // What section 3 forbids is refused before the bank is asked.
    const transition = await unpaidTransition({ ...context, at }, payIn, { outcome: 'CANCELED' }, 'service');
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
 * Expires a pay-in whose time has passed, after the bank removed its charge (section 3, by the service). `UNKNOWN`: the
 * bank does not say whether it was paid, and it stays due.
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
