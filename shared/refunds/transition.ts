import { transactionId } from '../core/identifiers.ts';
import type { PayInWithRefunds } from './model.ts';
import type { RefundFacts, RefundMove } from './states.ts';
import { decideRefund } from './states.ts';
import { refundNotification } from './notification.ts';
import type { Committed, Told } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import { refundPut } from './store.ts';
import { countStatus } from '../platform/count-status.ts';
import type { TransitionContext } from '../platform/commit-transition.ts';
import { ledgerMoveOf } from '../pay-ins/transition.ts';
import { returnToPayer } from '../payouts/pay-own-charge.ts';

/**
 * Ends a refund: itself, its pay-in, the account's money with the ledger entry, and the notification, all in one
 * transaction. A bank's callback, its refusal and the simulation tool run through here.
 * @throws Refusal when section 3 does not allow it.
 */
export async function moveRefund(
  context: TransitionContext,
  order: PayInWithRefunds,
  facts: RefundFacts,
): Promise<{ committed: Committed; moved: RefundMove; notifications: readonly Told[] }> {
  const { store, ids, at, realNow, companyId, requestId } = context;
  const moved = decideRefund(order, facts, { at, id: transactionId(ids) });
  const { payIn, refund, balance } = moved;
  const base = { id: ids.uuid(), requestId, resource: { type: 'PAY_IN', id: payIn.id } } as const;
  const notifications: readonly Told[] = [
    { ...base, target: { type: 'PAYIN_REFUND' }, ...refundNotification(payIn, refund) },
  ];
  const committed = await commit(store, {
    companyId,
    at: realNow(),
    ledger: [
      ledgerMoveOf(payIn, balance, context),
      ...(refund.status === 'SETTLED' ? returnToPayer(payIn, context) : []),
    ],
    writes: [payInUpdate(companyId, order.payIn, payIn), refundPut(companyId, refund)],
    notifications,
  });
  if (committed.ok && payIn.status !== order.payIn.status) countStatus('PAY_IN', payIn.status);
  if (committed.ok) countStatus('REFUND', refund.status);
  return { committed, moved, notifications };
}
