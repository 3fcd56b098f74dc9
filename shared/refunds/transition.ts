import type { Instant } from '../core/brasilia-time.ts';
import { centavos, subtractCentavos } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import { askAgainAt } from '../core/resubmission.ts';
import { returnToPayer } from '../payouts/credit-own-account.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { payInUpdate } from '../pay-ins/store.ts';
import { postingOf } from '../pay-ins/transition.ts';
import type { Change } from '../platform/commit.ts';
import type { Transition, TransitionContext } from '../platform/commit-transition.ts';
import { counterpartyOf } from '../platform/ledger/balance.ts';
import type { PayInWithRefunds, Refund } from './model.ts';
import { refundNotification } from './notification.ts';
import type { RefundDecision } from './states.ts';
import { refundDecided, refundOrderPut, refundPut } from './store.ts';

/**
 * Returns the transition that a decided refund causes: its pay-in, the ledger entries and the notification.
 * @param isReceived whether the company's account that paid has the money already, because the bank reported the return
 * of the payout first
 */
export function refundTransition(
  context: Pick<TransitionContext, 'ids' | 'at' | 'companyId' | 'requestId'>,
  before: PayIn,
  { payIn, refund, balance }: RefundDecision,
  isReceived = false,
): Transition<Pick<RefundDecision, 'payIn' | 'refund'>> {
  const { ids, companyId, requestId } = context;
  const resource = { type: 'PAY_IN', id: payIn.id } as const;
  const target = { type: 'PAYIN_REFUND' } as const;
  const { ledger, writes } = isReceived ? { ledger: [], writes: [] } : returnToPayer(payIn, refund, context);
  return {
    ledger: [postingOf(payIn, balance, context, { refundId: refund.id, ...pick(refund, 'endToEndId') }), ...ledger],
    writes: [payInUpdate(companyId, before, payIn), refundDecided(companyId, refund), ...writes],
    notifications: [{ id: ids.uuid(), requestId, resource, target, ...refundNotification(payIn, refund) }],
    reached: [
      ...(payIn.status === before.status ? [] : [['PAY_IN', payIn.status] as const]),
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
  { at, entryId, idempotencyKey }: { readonly at: Instant; readonly entryId: string; readonly idempotencyKey: string },
): Pick<Change, 'ledger' | 'writes'> {
  const { id: orderId, accountId, version } = payIn;
  const { amount } = refund;
  const available = subtractCentavos(centavos(0), amount);
  const references = { orderId, refundId: refund.id, counterparty: counterpartyOf(payIn.payer) };
  const money = { available, reserved: amount };
  return {
    ledger: [{ accountId, kind: 'REFUND_RESERVED', ...references, ...money, at, entryId, requireActive: true }],
    writes: [
      payInUpdate(companyId, payIn, { ...payIn, version: version + 1 }),
      refundPut(companyId, refund, askAgainAt(at)),
      refundOrderPut(companyId, refund, idempotencyKey),
    ],
  };
}
