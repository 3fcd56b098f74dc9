import type { ChargeState, ReceivedPayment } from '../bank/ports/charges.ts';
import { report } from '../bank/report.ts';
import { centavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { commitTransition } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import { keys } from '../platform/table/keys.ts';
import type { PayIn } from './model.ts';
import { creditKeys, requireUnclaimed, unmatchedPuts } from './received.ts';
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

/** Credits a payment once by its end-to-end id: it pays the pay-in, or is credited as unmatched. */
async function receivePayment(
  context: TransitionContext,
  id: string,
  payment: ReceivedPayment,
  { isExpected }: { readonly isExpected: boolean },
): Promise<void> {
  const { store, companyId } = context;
  const { endToEndId, at: paidAt } = payment;
  const read = () => store.read([keys.order(companyId, id), ...creditKeys(companyId, endToEndId)]);
  const isUnmatched = await commitTransition<Awaited<ReturnType<typeof read>>, boolean>(
    context,
    read,
    ([item, received, claim]) => {
      if (item === undefined) throw new Error('A paid charge has no pay-in.');
      const payIn = parsePayIn(item);
      if (received !== undefined || payIn.endToEndId === endToEndId) return { unchanged: false };
      requireUnclaimed(companyId, claim);
      if (!isExpected || payIn.status !== 'PENDING') return unmatched(context, payIn, payment);
      const event = { outcome: 'PAID', at: paidAt, endToEndId, ...pick(payment, 'payer') } as const;
      return { ...payInTransition(context, payIn, event), result: false };
    },
  );
  if (isUnmatched) report('CreditsUnmatched', { companyId, orderId: id, endToEndId });
}

type UnmatchedPayment = Pick<ReceivedPayment, 'endToEndId' | 'amount'> & Partial<Pick<ReceivedPayment, 'payer'>>;

/**
 * Credits a received payment that belongs to no charge, once by its end-to-end id, as unmatched.
 * @returns whether this call credited the payment; the caller then reports it
 */
export async function creditUnexpected(
  context: TransitionContext,
  place: Pick<PayIn, 'accountId' | 'connection'>,
  payment: UnmatchedPayment,
): Promise<boolean> {
  const { store, companyId } = context;
  const { endToEndId } = payment;
  const read = () => store.read(creditKeys(companyId, endToEndId));
  return commitTransition<Awaited<ReturnType<typeof read>>, boolean>(context, read, ([received, claim]) => {
    if (received !== undefined) return { unchanged: false };
    requireUnclaimed(companyId, claim);
    return unmatched(context, place, payment);
  });
}

function unmatched(
  { companyId, at, ids }: TransitionContext,
  { id: orderId, accountId, ...place }: Pick<PayIn, 'accountId' | 'connection'> & Partial<Pick<PayIn, 'id'>>,
  { endToEndId, amount, payer }: UnmatchedPayment,
) {
  const order = orderId === undefined ? {} : { orderId };
  const references = { ...order, endToEndId, ...(payer && { counterparty: counterpartyOf(payer) }) };
  const posting = { accountId, ...references, available: amount, reserved: centavos(0), at, entryId: ids.uuid() };
  return {
    ledger: [{ ...posting, kind: 'UNMATCHED_CREDIT' as const }],
    writes: unmatchedPuts(companyId, { endToEndId, accountId, amount, at, ...order, ...pick(place, 'connection') }),
    result: true,
  };
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
