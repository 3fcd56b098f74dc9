import type { PayIn } from '../pay-ins/model.ts';
import type { RefundNotification } from './notification-contract.ts';
import { notificationJson } from '../contract/notification.ts';
import { amountView, centavos } from '../core/money.ts';
import type { Refund } from './model.ts';
import { notifiedRefundStatuses } from './model.ts';

/** The body of `ORDER-PAYIN.REFUNDED` or `ORDER-PAYIN.REFUND_FAILED` (6.3). @throws Error for a pending refund */
export function refundNotification(payIn: PayIn, refund: Refund): { event: string; body: string } {
  if (refund.status === 'PENDING') throw new Error('A pending refund has no notification.');
  const { event, status } = notifiedRefundStatuses[refund.status];
  const isPart = refund.amount !== payIn.amount;
  const orderStatus = payIn.status === 'REFUNDED' ? 'REFUNDED' : 'PAID';
  const body = notificationJson<typeof RefundNotification>({
    id: payIn.id,
    code: payIn.externalId,
    event,
    status,
    type: 'REFUND',
    refundId: refund.id,
    paidAt: payIn.paidAt ?? null,
    refundedAt: refund.settledAt ?? null,
    updatedAt: payIn.updatedAt,
    endToEndId: refund.endToEndId ?? null,
    message: refund.errorMessage ?? '',
    subscription: payIn.subscription,
    amount: isPart ? amountView(refund.amount) : undefined,
    refundedAmount: isPart ? amountView(payIn.refundedAmount ?? centavos(0)) : undefined,
    orderStatus: isPart ? orderStatus : undefined,
  });
  return { event, body };
}
