import { transactionId } from '../core/identifiers.ts';
import type { PayInWithRefunds } from './model.ts';
import type { RefundFacts, RefundMove } from './states.ts';
import { decideRefund } from './states.ts';
import { refundNotification } from '../pay-ins/notification.ts';
import type { CommitResult, OutboxEntry } from '../platform/commit.ts';
import { commit } from '../platform/commit.ts';
import { payInUpdate, refundPut } from '../pay-ins/store.ts';
import { countStatus } from '../platform/count-status.ts';
import type { MoveContext } from '../pay-ins/transition.ts';
import { ledgerMoveOf } from '../pay-ins/transition.ts';
import { returnToPayer } from '../payouts/pay-own-charge.ts';

/**
 * Ends a refund: itself, its pay-in, the account's money with the ledger entry, and the notification, all in one
 * transaction. A bank's callback, its refusal and the simulation tool run through here.
 * @throws Refusal when section 3 does not allow it.
 */
export async function moveRefund(
  context: MoveContext,
  order: PayInWithRefunds,
  facts: RefundFacts,
): Promise<{ committed: CommitResult; moved: RefundMove; notifications: readonly OutboxEntry[] }> {
  const { store, ids, at, realNow, companyId, requestId } = context;
  const moved = decideRefund(order, facts, { at, id: transactionId(ids) });
  const { payIn, refund, balance } = moved;
  const base = { id: ids.uuid(), requestId, resource: { type: 'PAY_IN', id: payIn.id } } as const;
  const notifications: readonly OutboxEntry[] = [
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
