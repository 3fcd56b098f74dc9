import type { Bank } from '#shared/bank/bank.ts';
import { childSequence, orderIdOf, parentOrderId } from '#shared/core/identifiers.ts';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { TransitionContext } from '#shared/platform/commit-transition.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { applyRefundState } from '#shared/refunds/apply-state.ts';
import { readPayInWithRefunds } from '#shared/refunds/store.ts';
import { applyChargeAttempts } from '#shared/scheduled-payments/apply-state.ts';
import { parseScheduledPayment } from '#shared/scheduled-payments/store.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import type { Fact } from './bank-books.ts';

/** Applies an event of the bank. False for one of an order that the service does not know yet. */
export async function applyFact(
  fact: Fact,
  context: TransitionContext & { readonly bank: Bank },
  itemsOf: (entity: string) => readonly Item[],
): Promise<boolean> {
  if (fact.kind === 'PAYOUT') {
    const sequence = childSequence(fact.reference);
    const one = { ...(sequence !== undefined && { sequence }), state: fact.state };
    const order = await readPayout(context.store, context.companyId, parentOrderId(fact.reference));
    if (order !== undefined) await applyPaymentStates(context, order, [one]);
    return order !== undefined;
  }
  if (fact.kind === 'RECURRENCE') {
    const id = itemsOf('SUBSCRIPTION').find((item) => item['providerId'] === fact.reference)?.['id'];
    if (typeof id !== 'string') return false;
    await applyRecurrenceState(context, id, fact.state);
    return true;
  }
  if (fact.kind === 'ATTEMPTS') {
    const matchingTerms = itemsOf('CHARGE_TERMS').filter(
      ({ firstAttemptId }) =>
        typeof firstAttemptId === 'string' && firstAttemptId.replaceAll('-', '') === fact.reference,
    );
    const payments = itemsOf('SCHEDULED_PAYMENT').filter(({ PK }) => matchingTerms.some((terms) => terms.PK === PK));
    const retrying = { ...context, now: context.realNow };
    for (const { id } of payments.map(parseScheduledPayment)) await applyChargeAttempts(retrying, id, fact.state);
    return payments.length > 0;
  }
  const id = orderIdOf(fact.kind === 'CHARGE' ? fact.reference : fact.txid);
  const order = await readPayInWithRefunds(context.store, context.companyId, id);
  if (order === undefined) return false;
  if (fact.kind === 'CHARGE') {
    await applyChargeState({ ...context, alsoEnds: endWaitingSubscription }, id, fact.state);
    return true;
  }
  // The return of money that no charge expected is polled and has no event.
  if (!order.refunds.some((refund) => refund.id === fact.reference)) return false;
  await applyRefundState(context, { id: fact.reference, orderId: id }, fact.state);
  return true;
}
