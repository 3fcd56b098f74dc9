import { centavos } from '../core/money.ts';
import type { Payout, PayoutWithPayments } from './model.ts';
import { isFinal } from './model.ts';
import type { PayoutMove, ToldPayment } from './states.ts';
import { decidePayout } from './states.ts';
import { payoutNotification } from './notification.ts';
import type { CommitResult, OutboxEntry } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import type { LedgerMove } from '../platform/ledger/ledger.ts';
import { payoutUpdates } from './store.ts';
import { countStatus } from '../platform/count-status.ts';
import type { MoveContext } from '../pay-ins/transition.ts';
import { failUnpayable, payOwnCharge, readOwnCharge } from './pay-own-charge.ts';

/**
 * Moves a payout or payments of its batch: their new states, the account's money, one ledger entry and, with the last
 * payment, the notification, all in one transaction; with them the credit of another account of the company, and the
 * charge of the company that it pays (at most 95, 97 and 100 writes for a batch of 90). The simulation tool, a bank's
 * callback and what a bank answers when it is asked run through here. A payment to a charge that can no longer be paid
 * fails.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function movePayout(
  context: MoveContext,
  order: PayoutWithPayments,
  told: readonly ToldPayment[],
): Promise<{ committed: CommitResult; moved: PayoutMove; notifications: readonly OutboxEntry[] }> {
  const { store, at, realNow, companyId } = context;
  const charge = told.some(({ facts }) => facts.outcome === 'PAID')
    ? await readOwnCharge(context, order.payout)
    : undefined;
  const moved = decidePayout(order, charge === undefined ? told : failUnpayable(told, charge, at), at);
  const paid = charge !== undefined && moved.credit?.kind === 'PAY_IN';
  const ofCharge = paid ? payOwnCharge(charge, moved.after.payout, context) : { writes: [], notifications: [] };
  const own = isFinal(moved.after.payout) ? [notificationOf(moved, context)] : [];
  const notifications = [...own, ...ofCharge.notifications];
  const committed = await commit(store, {
    companyId,
    at: realNow(),
    ledger: ledgerMoves(moved, order.payout, context),
    writes: [...payoutUpdates(companyId, order.payout, moved, at), ...ofCharge.writes],
    notifications,
  });
  if (committed.ok && isFinal(moved.after.payout)) countStatus('PAYOUT', moved.after.payout.status);
  if (committed.ok && paid) countStatus('PAY_IN', 'PAID');
  return { committed, moved, notifications };
}

/**
 * The payer's, and that of the company's account that gets the money: the same accounts whatever the partner may do
 * with them.
 */
function ledgerMoves(
  { balance, credit }: PayoutMove,
  { id, accountId }: Payout,
  { ids, at }: MoveContext,
): readonly LedgerMove[] {
  const spent = { ...balance, accountId, orderId: id, at, entryId: ids.uuid() };
  if (credit === undefined) return [spent];
  const { amount, ...received } = credit;
  return [spent, { ...received, available: amount, reserved: centavos(0), at, entryId: ids.uuid() }];
}

function notificationOf({ after }: PayoutMove, { ids, requestId }: MoveContext): OutboxEntry {
  const resource = { type: 'PAYOUT', id: after.payout.id } as const;
  return {
    id: ids.uuid(),
    requestId,
    resource,
    target: { type: 'PAYOUT' },
    ...payoutNotification(after),
  };
}
