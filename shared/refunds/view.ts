import type * as z from 'zod';
import type { CreatedRefund, RefundRecord } from './contract.ts';
import type { Refund } from './model.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

/** Returns the response to the request of a refund, the same whatever its status is now. */
export function createdRefundView({ id, orderId, amount, createdAt }: Refund): z.output<typeof CreatedRefund> {
  return { refundId: id, orderId, amount: amountView(amount), status: 'PENDING', createdAt };
}

export function refundView(refund: Refund): z.output<typeof RefundRecord> {
  return {
    refundId: refund.id,
    orderId: refund.orderId,
    amount: amountView(refund.amount),
    ...pick(refund, 'status', 'createdAt', 'createdBy', 'description', 'errorMessage'),
  };
}
