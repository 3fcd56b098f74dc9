import { centavos } from '../core/money.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import { isFinal } from './model.ts';
import type { PayoutDecision, PaymentEvent } from './states.ts';
import { decidePayout } from './states.ts';
import { payoutNotification } from './notification.ts';
import type { OutboxEntry } from '../platform/commit.ts';
import type { LedgerPosting } from '../platform/ledger/ledger.ts';
import { payoutUpdates } from './store.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { failUnpayable, payOwnCharge, readOwnCharge } from './pay-own-charge.ts';

/**
 * The transition of a payout or of payments of its batch: states, ledger entry, with the last payment the notification;
 * the credit of another account of the company, and the charge that it pays (at most 100 writes for a batch of 90). A
 * payment to a charge that can no longer be paid fails. @throws RequestError when section 3 does not allow it.
 */
export async function payoutTransition(
  context: TransitionContext,
  order: PayoutWithPayments,
  events: readonly PaymentEvent[],
): Promise<Transition<PayoutDecision>> {
  const { at, companyId } = context;
  const charge = events.some(({ event }) => event.outcome === 'PAID')
    ? await readOwnCharge(context, order.payout)
    : undefined;
  const decision = decidePayout(order, charge === undefined ? events : failUnpayable(events, charge, at), at);
  const { payout } = decision.after;
  const paid = charge !== undefined && decision.credit?.kind === 'PAY_IN';
  const ofCharge = paid ? payOwnCharge(charge, payout, context) : { writes: [], notifications: [] };
  return {
    ledger: postingsOf(decision, order.payout, context),
    writes: [...payoutUpdates(companyId, order.payout, decision, at), ...ofCharge.writes],
    notifications: [...(isFinal(payout) ? [notificationOf(decision, context)] : []), ...ofCharge.notifications],
    reached: [
      ...(isFinal(payout) ? [['PAYOUT', payout.status] as const] : []),
      ...(paid ? [['PAY_IN', 'PAID'] as const] : []),
    ],
    result: decision,
  };
}

/** The payer's move, and that of the company's account that receives. */
function postingsOf(
  { balance, credit }: PayoutDecision,
  { id, accountId }: Payout,
  { ids, at }: TransitionContext,
): readonly LedgerPosting[] {
  const spent = { ...balance, accountId, orderId: id, at, entryId: ids.uuid() };
  if (credit === undefined) return [spent];
  const { amount, ...received } = credit;
  return [spent, { ...received, available: amount, reserved: centavos(0), at, entryId: ids.uuid() }];
}

function notificationOf({ after }: PayoutDecision, { ids, requestId }: TransitionContext): OutboxEntry {
  const resource = { type: 'PAYOUT', id: after.payout.id } as const;
  return {
    id: ids.uuid(),
    requestId,
    resource,
    target: { type: 'PAYOUT' },
    ...payoutNotification(after),
  };
}
