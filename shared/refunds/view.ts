import type * as z from 'zod';
import type { CreatedRefund, RefundRecord } from './contract.ts';
import type { Refund } from './model.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../contract/amount-view.ts';

/** A refund as it was when it was asked for, whatever became of it since. */
export function createdRefundView({ id, orderId, amount, createdAt }: Refund): z.output<typeof CreatedRefund> {
  return { refundId: id, orderId, amount: amountView(amount), status: 'PENDING', createdAt };
}

/** A refund as the API lists it. */
export function refundView(refund: Refund): z.output<typeof RefundRecord> {
  return {
    refundId: refund.id,
    orderId: refund.orderId,
    amount: amountView(refund.amount),
    ...pick(refund, 'status', 'createdAt', 'description', 'errorMessage'),
  };
}
