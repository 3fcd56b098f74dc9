import { childSequence } from '#shared/core/identifiers.ts';
import { selectPayments } from '#shared/payouts/states.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import type { BankContext } from '#shared/payouts/submit.ts';
import { payoutTransition } from '#shared/payouts/transition.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { openReferences } from '#shared/payouts/submit.ts';
import type { PayoutWithPayments } from '#shared/payouts/model.ts';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { simulatedPayoutEvent } from '#shared/sandbox/order-events.ts';

export type ForceContext = BankContext & { readonly ispb: string };

/**
 * What the bank says of a payout, of every open payment of a batch, or of one payment. Canceling calls it back first.
 * @throws RequestError by section 3, when the bank can no longer stop a payment, or an account cannot hold what it
 * receives.
 */
export async function forcedPayout(
  context: ForceContext,
  order: PayoutWithPayments,
  { id, status: trigger }: { readonly id: string; readonly status: string },
): Promise<Transition<string>> {
  const { outcome, parts } = selectPayments(order, trigger, childSequence(id));
  if (outcome === 'CANCELED') await callBack(context.bank, order, parts);
  const events = parts.map((one) => ({ ...one, event: simulatedPayoutEvent(outcome, order, one.sequence, context) }));
  const transition = await payoutTransition(context, order, events);
  const { after, changed } = transition.result;
  const change = `Payout ${order.payout.id}: status ${order.payout.status} → ${after.payout.status}`;
  const [first] = changed;
  // All that changed have the same status: that of the trigger, or that of a charge that could not be paid.
  const payments = changed.map((payment) => payment.sequence).join(', ');
  const ofPayments = first === undefined ? '' : `; payments ${payments}: PENDING → ${first.status}`;
  return { ...transition, result: `${change}${ofPayments}` };
}

/** Calls back each open payment that is meant; the transition follows only when the bank has stopped all of them. */
async function callBack(
  { payouts }: BankContext['bank'],
  { payout, payments }: PayoutWithPayments,
  parts: readonly { readonly sequence?: number }[],
): Promise<void> {
  const sequences = new Set(parts.map(({ sequence }) => sequence));
  const open = { payout, payments: payments.filter(({ sequence }) => sequences.has(sequence)) };
  const calls = openReferences(open).map((reference) => withdraw(payouts, reference));
  const outcomes = new Set((await Promise.all(calls)).map(({ outcome }) => outcome));
  if (outcomes.has('REFUSED'))
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The bank can no longer stop the payment.');
  if (outcomes.has('UNKNOWN')) throw new BankUnavailable('It is not known whether the bank has stopped the payment.');
}

/** A bank may refuse to stop a payment twice, after a lost response: the payment itself says so. */
async function withdraw(payouts: BankContext['bank']['payouts'], reference: string): Promise<CommandOutcome<unknown>> {
  const response = await payouts.cancel(reference);
  if (response.outcome === 'DONE') return response;
  const found = await payouts.find(reference);
  return found.outcome === 'DONE' && found.result.outcome === 'CANCELED' ? found : response;
}
