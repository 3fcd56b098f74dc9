import { notFound } from '#shared/core/errors.ts';
import { transactionId } from '#shared/core/identifiers.ts';
import { formatAmount } from '#shared/core/money.ts';
import type { Transition } from '#shared/platform/commit-transition.ts';
import { requireUndisputed } from '#shared/disputes/states.ts';
import type { PayInWithRefunds } from '#shared/refunds/model.ts';
import { openRefunds, refundableAmount } from '#shared/refunds/model.ts';
import { decideBankRefund, decideRefund } from '#shared/refunds/states.ts';
import { refundTransition } from '#shared/refunds/transition.ts';
import { requireSettling, simulatedRefundEvent } from '#shared/sandbox/order-events.ts';
import type { ForceContext } from './force-payout.ts';

/**
 * Builds the transition that settles one refund: the named one; else what is not yet requested, as a return by the bank
 * itself; else an open one. Money that the account lacks is thus missed before anything has changed. The tool
 * repeats it until the pay-in is `REFUNDED`.
 * @throws RequestError 404; for a transition that section 3 of the specification does not allow; 409 for the whole of a
 * pay-in whose payment is in a dispute
 */
export function forcedRefund(
  context: ForceContext,
  order: PayInWithRefunds,
  { refundId, status: trigger }: { readonly refundId?: string; readonly status: string },
): Transition<{ readonly summary: string; readonly isDone: boolean }> {
  const { ids, at } = context;
  const { payIn, refunds } = order;
  const event = simulatedRefundEvent(context);
  if (refundId !== undefined) {
    const refund = refunds.find(({ id }) => id === refundId);
    if (refund === undefined) throw notFound('Refund');
    requireSettling(refund, trigger);
    const transition = refundTransition(context, payIn, decideRefund(order, refund, event, at));
    const { payIn: after } = transition.result;
    const change = `Refund ${refundId} of ${formatAmount(refund.amount)}: status ${refund.status} → SETTLED`;
    const summary = `${change}; pay-in ${payIn.id}: status ${payIn.status} → ${after.status}`;
    return { ...transition, result: { summary, isDone: true } };
  }
  requireUndisputed(payIn);
  const [open] = refundableAmount(order) > 0 ? [] : openRefunds(refunds);
  const decided =
    open === undefined
      ? decideBankRefund(order, event, { at, id: transactionId(ids) })
      : decideRefund(order, open, event, at);
  const { status } = decided.payIn;
  const summary = `Pay-in ${payIn.id}: status ${payIn.status} → ${status}`;
  return { ...refundTransition(context, payIn, decided), result: { summary, isDone: status === 'REFUNDED' } };
}
