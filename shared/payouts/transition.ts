import { centavos } from '../core/money.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import { isFinal } from './model.ts';
import type { PayoutMove, ToldPayment } from './states.ts';
import { decidePayout } from './states.ts';
import { payoutNotification } from './notification.ts';
import type { Told } from '../platform/commit.ts';
import type { LedgerMove } from '../platform/ledger/ledger.ts';
import { payoutUpdates } from './store.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { failUnpayable, payOwnCharge, readOwnCharge } from './pay-own-charge.ts';

/**
 * A payout, or payments of its batch, that reach another status: their new states, the account's money, one ledger
 * entry and, with the last payment, the notification; with them the credit of another account of the company, and the
 * charge of the company that it pays (at most 95, 97 and 100 writes for a batch of 90). The simulation tool, a bank's
 * callback and what a bank answers when it is asked commit it. A payment to a charge that can no longer be paid fails.
 * @throws Refusal when section 3 does not allow the transition.
 */
export async function payoutTransition(
  context: TransitionContext,
  order: PayoutWithPayments,
  events: readonly ToldPayment[],
): Promise<Transition<PayoutMove>> {
  const { at, companyId } = context;
  const charge = events.some(({ facts }) => facts.outcome === 'PAID')
    ? await readOwnCharge(context, order.payout)
    : undefined;
  const moved = decidePayout(order, charge === undefined ? events : failUnpayable(events, charge, at), at);
  const { payout } = moved.after;
  const paid = charge !== undefined && moved.credit?.kind === 'PAY_IN';
  const ofCharge = paid ? payOwnCharge(charge, payout, context) : { writes: [], notifications: [] };
  return {
    ledger: ledgerMoves(moved, order.payout, context),
    writes: [...payoutUpdates(companyId, order.payout, moved, at), ...ofCharge.writes],
    notifications: [...(isFinal(payout) ? [notificationOf(moved, context)] : []), ...ofCharge.notifications],
    reached: [
      ...(isFinal(payout) ? [['PAYOUT', payout.status] as const] : []),
      ...(paid ? [['PAY_IN', 'PAID'] as const] : []),
    ],
    result: moved,
  };
}

/**
 * The payer's, and that of the company's account that gets the money: the same accounts whatever the partner may do
 * with them.
 */
function ledgerMoves(
  { balance, credit }: PayoutMove,
  { id, accountId }: Payout,
  { ids, at }: TransitionContext,
): readonly LedgerMove[] {
  const spent = { ...balance, accountId, orderId: id, at, entryId: ids.uuid() };
  if (credit === undefined) return [spent];
  const { amount, ...received } = credit;
  return [spent, { ...received, available: amount, reserved: centavos(0), at, entryId: ids.uuid() }];
}

function notificationOf({ after }: PayoutMove, { ids, requestId }: TransitionContext): Told {
  const resource = { type: 'PAYOUT', id: after.payout.id } as const;
  return {
    id: ids.uuid(),
    requestId,
    resource,
    target: { type: 'PAYOUT' },
    ...payoutNotification(after),
  };
}
