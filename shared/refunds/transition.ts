import type { Instant } from '../core/brasilia-time.ts';
import { transactionId } from '../core/identifiers.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import { askAgainAt } from '../core/resubmission.ts';
import { returnToPayer } from '../payouts/credit-own-account.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import { postingOf } from '../pay-ins/transition.ts';
import type { Change } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { refundNotification } from './notification.ts';
import type { RefundEvent, RefundDecision } from './states.ts';
import { decideRefund } from './states.ts';
import { refundPut } from './store.ts';

/**
 * Returns the transition of a refund to its final status, with its pay-in, the ledger entries and the notification.
 * @throws RequestError by section 3.
 * @param isReceived whether the company's account that paid has the money already, because the bank reported the return
 * of the payout first
 */
export function refundTransition(
  context: Pick<TransitionContext, 'ids' | 'at' | 'companyId' | 'requestId'>,
  order: PayInWithRefunds,
  event: RefundEvent,
  isReceived = false,
): Transition<Pick<RefundDecision, 'payIn' | 'refund'>> {
  const { ids, at, companyId, requestId } = context;
  const { payIn, refund, balance } = decideRefund(order, event, { at, id: transactionId(ids) });
  const resource = { type: 'PAY_IN', id: payIn.id } as const;
  const target = { type: 'PAYIN_REFUND' } as const;
  const { ledger, writes } =
    event.outcome === 'SETTLED' && !isReceived
      ? returnToPayer(payIn, event.endToEndId, context)
      : { ledger: [], writes: [] };
  return {
    ledger: [postingOf(payIn, balance, context), ...ledger],
    writes: [payInUpdate(companyId, order.payIn, payIn), refundPut(companyId, refund), ...writes],
    notifications: [{ id: ids.uuid(), requestId, resource, target, ...refundNotification(payIn, refund) }],
    reached: [
      ...(payIn.status === order.payIn.status ? [] : [['PAY_IN', payIn.status] as const]),
      ['REFUND', refund.status],
    ],
    result: { payIn, refund },
  };
}

/**
 * Returns the writes of a new refund, with its amount reserved. They raise the pay-in's version, so that one of two
 * concurrent requests fails and finds the other refund.
 */
export function refundChange(
  companyId: string,
  { payIn }: PayInWithRefunds,
  refund: Refund,
  { at, entryId }: { readonly at: Instant; readonly entryId: string },
): Pick<Change, 'ledger' | 'writes'> {
  const { id: orderId, accountId, amount, version } = payIn;
  const available = subtractCentavos(centavos(0), amount);
  return {
    ledger: [
      { accountId, kind: 'REFUND_RESERVED', orderId, available, reserved: amount, at, entryId, requireActive: true },
    ],
    writes: [
      payInUpdate(companyId, payIn, { ...payIn, version: version + 1 }),
      refundPut(companyId, refund, askAgainAt(at)),
    ],
  };
}
