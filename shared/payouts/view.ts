import type * as z from 'zod';
import type { Batch, CreatedPayout, PayoutRecord } from './contract.ts';
import { childOrderId } from '../core/identifiers.ts';
import { formatAmount } from '../core/money.ts';
import { pick } from '../core/pick.ts';
import type { BatchTotals, PayoutWithPayments } from './model.ts';
import { batchTotals, createdPayout, paymentKey } from './model.ts';

/** Counters and amounts of a batch as the API writes them (2.8). */
export function batchTotalsView(totals: BatchTotals): Omit<z.output<typeof Batch>, 'id' | 'transactions'> {
  return {
    ...pick(totals, 'transactionsCount', 'paidCount', 'failedCount', 'pendingCount'),
    paidAmount: formatAmount(totals.paidAmount),
    pendingAmount: formatAmount(totals.pendingAmount),
  };
}

/** The response to a creation: only facts of the creation, so that a replay has the same bytes. */
export function createdPayoutView(order: PayoutWithPayments): z.output<typeof CreatedPayout> {
  return bodyOf(createdPayout(order));
}

/** A payout as it is now. Of the receiver only name and document are shown. */
export function payoutView(order: PayoutWithPayments): z.output<typeof PayoutRecord> {
  const { payout } = order;
  return {
    ...bodyOf(order),
    ...pick(payout, 'accountId', 'paymentMethod'),
    receiver: pick(payout.receiver, 'name', 'document'),
    ...pick(payout, 'paymentData', 'createdAt', 'createdBy', 'updatedAt', 'paidAt'),
  };
}

function bodyOf({ payout, payments }: PayoutWithPayments): z.output<typeof CreatedPayout> {
  return {
    ...pick(payout, 'id', 'externalId', 'status'),
    amount: formatAmount(payout.amount),
    currency: 'BRL',
    ...pick(payout, 'description', 'endToEndId', 'controlNumber'),
    ...(payments.length > 0 && { batch: batchOf({ payout, payments }) }),
    ...pick(payout, 'errorMessage'),
  };
}

function batchOf({ payout, payments }: PayoutWithPayments): z.output<typeof Batch> {
  const transactions = payments.map((payment) => ({
    id: childOrderId(payout.id, payment.sequence),
    idempotencyKey: paymentKey(payout.idempotencyKey, payment.sequence),
    sequence: payment.sequence,
    amount: formatAmount(payment.amount),
    ...pick(payment, 'status', 'endToEndId', 'paidAt', 'errorMessage'),
  }));
  return { id: payout.id, ...batchTotalsView(batchTotals(payments)), transactions };
}
