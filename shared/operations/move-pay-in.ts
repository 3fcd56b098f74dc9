import type { Instant } from '../domain/brasilia-time.ts';
import type { Ids } from '../domain/identifiers.ts';
import type { Move } from '../domain/moves.ts';
import type { Notification } from '../domain/notification.ts';
import type { PayInMove } from '../domain/pay-in.ts';
import { decidePayIn } from '../domain/pay-in.ts';
import { payInNotification, refundNotification } from '../notifications/payloads/pay-in.ts';
import type { Committed } from '../persistence/commit.ts';
import { commit } from '../persistence/commit.ts';
import type { PayInOrder } from '../persistence/orders.ts';
import { payInMoved, refundWritten } from '../persistence/pay-ins.ts';
import type { Store } from '../persistence/store.ts';
import { countStatus } from './count-status.ts';
import { simulatedPayInCallback } from '../provider/simulated-callback.ts';

export type MoveContext = {
  readonly store: Store;
  readonly ids: Ids;
  readonly at: Instant;
  readonly ispb: string;
  readonly companyId: string;
  readonly requestId: string;
};

/**
 * Moves a pay-in: its new state, its refund, the account's money, the ledger entry and the notification, all in one
 * transaction. The simulation tool, a bank's callback and the expiry run through here.
 * @throws Refusal when section 3 does not allow the move.
 */
export async function movePayIn(
  context: MoveContext,
  order: PayInOrder,
  trigger: string,
  by: Move['by'] = 'bank',
): Promise<{ committed: Committed; moved: PayInMove }> {
  const { store, ids, at, companyId } = context;
  const moved = decidePayIn(order, trigger, simulatedPayInCallback(context), by);
  const { payIn, balance, refund } = moved;
  const committed = await commit(store, {
    companyId,
    at,
    ledger: balance
      ? [
          {
            accountId: payIn.accountId,
            kind: balance.kind,
            orderId: payIn.id,
            available: balance.available,
            reserved: balance.reserved,
            at,
            entryId: ids.uuid(),
          },
        ]
      : [],
    writes: [payInMoved(companyId, order.payIn, payIn), ...(refund ? [refundWritten(companyId, refund)] : [])],
    notifications: [notificationOf(moved, context)],
  });
  if (committed.ok) countStatus('PAY_IN', payIn.status);
  return { committed, moved };
}

function notificationOf({ payIn, refund }: PayInMove, { ids, at, requestId }: MoveContext): Notification {
  const base = { id: ids.uuid(), createdAt: at, requestId };
  const { status } = payIn;
  if (refund !== undefined) return { ...base, target: { type: 'PAYIN_REFUND' }, ...refundNotification(payIn, refund) };
  if (status === 'PENDING' || status === 'REFUNDED')
    throw new Error(`A pay-in does not become ${status} without more.`);
  return { ...base, target: { type: 'PAYIN' }, ...payInNotification({ ...payIn, status }) };
}
