import { transactionId } from '../core/identifiers.ts';
import { returnToPayer } from '../payouts/pay-own-charge.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import { ledgerMoveOf } from '../pay-ins/transition.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { PayInWithRefunds } from './model.ts';
import { refundNotification } from './notification.ts';
import type { RefundEvent, RefundDecision } from './states.ts';
import { decideRefund } from './states.ts';
import { refundPut } from './store.ts';

/** The end of a refund, with its pay-in, the ledger entry and the notification. @throws Refusal by section 3. */
export function refundTransition(
  context: Pick<TransitionContext, 'ids' | 'at' | 'companyId' | 'requestId'>,
  order: PayInWithRefunds,
  event: RefundEvent,
): Transition<Pick<RefundDecision, 'payIn' | 'refund'>> {
  const { ids, at, companyId, requestId } = context;
  const { payIn, refund, balance } = decideRefund(order, event, { at, id: transactionId(ids) });
  const resource = { type: 'PAY_IN', id: payIn.id } as const;
  const target = { type: 'PAYIN_REFUND' } as const;
  return {
    ledger: [
      ledgerMoveOf(payIn, balance, context),
      ...(refund.status === 'SETTLED' ? returnToPayer(payIn, context) : []),
    ],
    writes: [payInUpdate(companyId, order.payIn, payIn), refundPut(companyId, refund)],
    notifications: [{ id: ids.uuid(), requestId, resource, target, ...refundNotification(payIn, refund) }],
    reached: [
      ...(payIn.status === order.payIn.status ? [] : [['PAY_IN', payIn.status] as const]),
      ['REFUND', refund.status],
    ],
    result: { payIn, refund },
  };
}
