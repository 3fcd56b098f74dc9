import { childSequence } from '#shared/core/identifiers.ts';
import { selectPayments } from '#shared/payouts/states.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { BankContext } from '#shared/payouts/submit.ts';
import { payoutTransition } from '#shared/payouts/transition.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { openPayments } from '#shared/payouts/payment-orders.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import { readPayIn } from '#shared/pay-ins/store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Check } from '#shared/platform/table/store.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import { requireOutcome, submitOnce } from '#shared/bank/bank.ts';
import { failUnpayable, simulatedPayoutEvent } from '#shared/sandbox/order-events.ts';

export type ForceContext = BankContext & { readonly ispb: string };

/**
 * Builds the transition that a simulated bank event causes: of a payout, of every open payment of a batch, or of one
 * payment. Before `CANCELED` it cancels the payments at the bank.
 * @throws RequestError for a transition that section 3 of the specification does not allow, for a payment that the bank
 * can no longer stop, and for an account that cannot hold the amount that it receives.
 */
export async function forcedPayout(
  context: ForceContext,
  order: PayoutWithPayments,
  { id, status: trigger }: { readonly id: string; readonly status: string },
): Promise<Transition<string>> {
  const { outcome, parts } = selectPayments(order, trigger, childSequence(id));
  if (outcome === 'CANCELED') await callBack(context, order, parts);
  const { payInId } = order.payout.internal ?? {};
  const charge = payInId === undefined ? undefined : await readPayIn(context.store, context.companyId, payInId);
  const events = parts.map((part) => {
    const event = simulatedPayoutEvent(outcome, order, part.sequence, context);
    return { ...part, event: charge === undefined ? event : failUnpayable(event, charge, context.at) };
  });
  const transition = await payoutTransition(context, order, events);
  const { after, changed, credit } = transition.result;
  // If the charge changed since it was read, the transaction fails and the transition is decided again.
  const isPaid = transition.reached?.some(([resource]) => resource === 'PAY_IN') === true;
  const chargeChecks =
    charge !== undefined && credit?.kind === 'PAY_IN' && !isPaid ? [unchangedCheck(context.companyId, charge)] : [];
  const change = `Payout ${order.payout.id}: status ${order.payout.status} → ${after.payout.status}`;
  const [first] = changed;
  // All changed payments have the same status: that of the trigger, or `ERROR` if the charge can no longer be paid.
  const payments = changed.map((payment) => payment.sequence).join(', ');
  const ofPayments = first === undefined ? '' : `; payments ${payments}: PENDING → ${first.status}`;
  return { ...transition, writes: [...transition.writes, ...chargeChecks], result: `${change}${ofPayments}` };
}

function unchangedCheck(companyId: string, { id, status, version }: PayIn): Check {
  return { check: keys.order(companyId, id), when: { equals: { status, version } } };
}

/** Cancels each selected open payment at the bank; the transition follows only when all of them are stopped. */
async function callBack(
  { bank, companyId, at }: ForceContext,
  { payout, payments }: PayoutWithPayments,
  parts: readonly { readonly sequence?: number }[],
): Promise<void> {
  const options = { again: false, whenUnknown: 'ASK' } as const;
  const sequences = new Set(parts.map(({ sequence }) => sequence));
  const open = { payout, payments: payments.filter(({ sequence }) => sequences.has(sequence)) };
  const calls = openPayments(open).map(({ order }) =>
    submitOnce(bank.payouts.cancel, order, { companyId, connection: payout.connection, at }, options),
  );
  for (const response of await Promise.all(calls)) {
    const known = requireOutcome(response);
    if (known.outcome === 'REFUSED' || known.state.status !== 'CANCELED')
      throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The bank can no longer stop the payment.');
  }
}
