import type { Payout, PayoutMove, PayoutTrigger, PayoutWithPayments } from '../domain/payout.ts';
import { decidePayout, isFinal } from '../domain/payout.ts';
import type { Notification } from '../domain/notification.ts';
import { payoutNotification } from '../notifications/payloads/payout.ts';
import type { Committed } from '../persistence/commit.ts';
import { commit } from '../persistence/commit.ts';
import type { LedgerMove } from '../persistence/ledger.ts';
import { payoutMoved } from '../persistence/payouts.ts';
import { countStatus } from './count-status.ts';
import type { MoveContext } from './move-pay-in.ts';

/**
 * Moves a payout or payments of its batch: their new states, the account's money, one ledger entry and, with the last
 * payment, the notification, all in one transaction (at most 96 writes for a batch of 90). The simulation tool, a bank's
 * callback and a bank's refusal run through here.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function movePayout(
  context: MoveContext,
  order: PayoutWithPayments,
  wanted: Omit<PayoutTrigger, 'at'>,
): Promise<{ committed: Committed; moved: PayoutMove }> {
  const { store, at, companyId } = context;
  const moved = decidePayout(order, { ...wanted, at });
  const committed = await commit(store, {
    companyId,
    at,
    ledger: [ledgerMove(moved, order.payout, context)],
    writes: payoutMoved(companyId, order.payout, moved),
    notifications: isFinal(moved.after.payout) ? [notificationOf(moved, context)] : [],
  });
  if (committed.ok && isFinal(moved.after.payout)) countStatus('PAYOUT', moved.after.payout.status);
  return { committed, moved };
}

function ledgerMove({ balance }: PayoutMove, { id, accountId }: Payout, { ids, at }: MoveContext): LedgerMove {
  return { ...balance, accountId, orderId: id, at, entryId: ids.uuid() };
}

function notificationOf({ after }: PayoutMove, { ids, at, requestId }: MoveContext): Notification {
  return { id: ids.uuid(), createdAt: at, requestId, target: { type: 'PAYOUT' }, ...payoutNotification(after) };
}
