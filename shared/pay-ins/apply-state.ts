import type { ChargeState, ReceivedPayment } from '../bank/ports/charges.ts';
import { pick } from '../core/pick.ts';
import { creditTransition } from '../credits/book.ts';
import { reasonOf } from '../credits/states.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { keys } from '../platform/table/keys.ts';
import type { PayIn } from './model.ts';
import { creditKeys, requireUnclaimed } from '../credits/received.ts';
import { parsePayIn, readPayIn } from './store.ts';
import type { AlsoEnding } from './transition.ts';
import { payInTransition, unpaidTransition } from './transition.ts';

/**
 * Applies the state of the bank's charge to its pay-in. A repetition changes nothing. A payment of the right amount
 * pays a pending pay-in. A dropped charge sets it to `ERROR`. Every other payment is credited as unmatched, and a final
 * status stays. A removed charge is left to the caller, which knows whether it means `CANCELED` or `EXPIRED`.
 */
export async function applyChargeState(
  context: TransitionContext & AlsoEnding,
  id: string,
  state: Partial<ChargeState> & Pick<ChargeState, 'status' | 'payments'>,
): Promise<void> {
  if (state.payments.length > 0) {
    const payIn = await readPayIn(context.store, context.companyId, id);
    const paying = state.payments.find(({ amount }) => payIn?.status === 'PENDING' && amount === payIn.amount);
    // The other payments come first: a paid charge is not read again.
    for (const payment of state.payments.filter((part) => part !== paying))
      await receivePayment(context, id, payment, { isExpected: false });
    if (paying !== undefined) await receivePayment(context, id, paying, { isExpected: true });
  }
  if (state.status === 'DROPPED') await failDropped(context, id);
}

/** Credits a payment once by its end-to-end id: it pays the pay-in, or is a credit of its own. */
async function receivePayment(
  context: TransitionContext,
  id: string,
  payment: ReceivedPayment,
  { isExpected }: { readonly isExpected: boolean },
): Promise<void> {
  const { store, companyId } = context;
  const { endToEndId, at: paidAt } = payment;
  const read = () => store.read([keys.order(companyId, id), ...creditKeys(companyId, endToEndId)]);
  await commitTransition<Awaited<ReturnType<typeof read>>, unknown>(context, read, ([item, received, claim]) => {
    if (item === undefined) throw new Error('A paid charge has no pay-in.');
    const payIn = parsePayIn(item);
    if (received !== undefined || payIn.endToEndId === endToEndId) return { unchanged: undefined };
    requireUnclaimed(companyId, claim);
    if (!isExpected || payIn.status !== 'PENDING') {
      const { accountId, id: orderId } = payIn;
      const of = { accountId, orderId, reason: reasonOf(payIn, payment.amount), ...pick(payIn, 'connection') };
      return creditTransition(context, { ...of, ...pick(payment, 'endToEndId', 'amount', 'payer') });
    }
    const event = { outcome: 'PAID', at: paidAt, endToEndId, ...pick(payment, 'payer') } as const;
    return payInTransition(context, payIn, event);
  });
}

/** The event of a charge that the bank itself removed. */
export const droppedEvent = { outcome: 'ERROR', reason: 'The bank removed the charge.' } as const;

async function failDropped(context: TransitionContext & AlsoEnding, id: string): Promise<void> {
  const read = () => readPayIn(context.store, context.companyId, id);
  await commitTransition<PayIn | undefined, unknown>(context, read, (payIn) => {
    if (payIn?.status !== 'PENDING') return { unchanged: undefined };
    return unpaidTransition(context, payIn, droppedEvent);
  });
}
