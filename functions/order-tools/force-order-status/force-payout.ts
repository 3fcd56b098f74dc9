import { childSequence } from '#shared/core/identifiers.ts';
import { selectPayments } from '#shared/payouts/states.ts';
import { forbiddenByState } from '#shared/core/errors.ts';
import { previewDeliveries } from '#shared/webhooks/delivery-preview.ts';
import type { BankContext } from '#shared/payouts/submit.ts';
import { movePayout } from '#shared/payouts/transition.ts';
import { openReferences } from '#shared/payouts/submit.ts';
import type { PayoutOrder } from '#shared/refunds/orders.ts';
import type { CommandEnd } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { simulatedPayoutFacts } from '#shared/sandbox/payout-events.ts';

/**
 * Moves a payout as the bank would: a payout, every open payment of a batch, or by its id one payment. What is to be
 * canceled is called back from the bank first. Undefined when another change came in between.
 * @throws Refusal when section 3 does not allow the move, the bank can no longer stop the payment, or an account of the
 * company cannot hold what it gets.
 */
export async function forcePayout(
  context: BankContext & { readonly ispb: string },
  order: PayoutOrder,
  { id, status: trigger }: { readonly id: string; readonly status: string },
): Promise<string | undefined> {
  const { outcome, parts } = selectPayments(order, trigger, childSequence(id));
  if (outcome === 'CANCELED') await callBack(context.bank, order, parts);
  const told = parts.map((one) => ({ ...one, facts: simulatedPayoutFacts(outcome, order, one.sequence, context) }));
  const { committed, moved, notifications } = await movePayout(context, order, told);
  if (!committed.ok && committed.because === 'BALANCE') throw committed.refusal;
  if (!committed.ok) return undefined;
  const { status } = moved.after.payout;
  const change = `Payout ${order.payout.id}: status ${order.payout.status} → ${status}`;
  const [first] = moved.moved;
  // All that moved have the same status: that of the trigger, or that of a charge that could not be paid.
  const payments = moved.moved.map((payment) => payment.sequence).join(', ');
  const ofPayments = first === undefined ? '' : `; payments ${payments}: PENDING → ${first.status}`;
  return `${change}${ofPayments}. ${await previewDeliveries(context, notifications)}`;
}

/** Calls back each open payment that is meant; the move follows only when the bank has stopped all of them. */
async function callBack(
  { payouts }: BankContext['bank'],
  { payout, payments }: PayoutOrder,
  meant: readonly { readonly sequence?: number }[],
): Promise<void> {
  const places = new Set(meant.map(({ sequence }) => sequence));
  const open = { payout, payments: payments.filter(({ sequence }) => places.has(sequence)) };
  const calls = openReferences(open).map((reference) => withdraw(payouts, reference));
  const ends = new Set((await Promise.all(calls)).map(({ end }) => end));
  if (ends.has('REFUSED'))
    throw forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', 'The bank can no longer stop the payment.');
  if (ends.has('UNKNOWN')) throw new BankUnavailable('It is not known whether the bank has stopped the payment.');
}

/**
 * A bank may refuse to stop what it has stopped already, for a call whose answer was lost: then it says so when asked.
 */
async function withdraw(payouts: BankContext['bank']['payouts'], reference: string): Promise<CommandEnd<unknown>> {
  const end = await payouts.cancel(reference);
  if (end.end === 'DONE') return end;
  const known = await payouts.find(reference);
  return known.end === 'DONE' && known.facts.outcome === 'CANCELED' ? known : end;
}
