import type * as z from 'zod';
import type { Batch, CreatedPayout, PayoutRecord } from './contract.ts';
import { childOrderId } from '../core/identifiers.ts';
import { formatAmount } from '../core/money.ts';
import type { BatchTotals, PayoutWithPayments } from './model.ts';
import { batchTotals, createdPayout, paymentKey } from './model.ts';

/** Counters and amounts of a batch as the API writes them (2.8). */
export function batchTotalsView(totals: BatchTotals): Omit<z.output<typeof Batch>, 'id' | 'transactions'> {
  const { transactionsCount, paidCount, failedCount, pendingCount, paidAmount, pendingAmount } = totals;
  return {
    transactionsCount,
    paidCount,
    failedCount,
    pendingCount,
    paidAmount: formatAmount(paidAmount),
    pendingAmount: formatAmount(pendingAmount),
  };
}

/**
 * The answer to the creation of a payout: rebuilt from the facts of creation, the same bytes whatever happened since.
 */
export function createdPayoutView(order: PayoutWithPayments): z.output<typeof CreatedPayout> {
  return bodyOf(createdPayout(order));
}

/** A payout as it is now; of its receiver what names them, as in its notification. */
export function payoutView(order: PayoutWithPayments): z.output<typeof PayoutRecord> {
  const { accountId, paymentMethod, receiver, paymentData, createdAt, updatedAt, paidAt } = order.payout;
  return {
    ...bodyOf(order),
    accountId,
    paymentMethod,
    receiver: { name: receiver.name, document: receiver.document },
    paymentData,
    createdAt,
    updatedAt,
    ...(paidAt !== undefined && { paidAt }),
  };
}

function bodyOf({ payout, payments }: PayoutWithPayments): z.output<typeof CreatedPayout> {
  const { endToEndId, controlNumber, errorMessage } = payout;
  return {
    id: payout.id,
    externalId: payout.externalId,
    status: payout.status,
    amount: formatAmount(payout.amount),
    currency: 'BRL',
    description: payout.description,
    ...(endToEndId !== undefined && { endToEndId }),
    ...(controlNumber !== undefined && { controlNumber }),
    ...(payments.length > 0 && { batch: batchOf({ payout, payments }) }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

function batchOf({ payout, payments }: PayoutWithPayments): z.output<typeof Batch> {
  const transactions = payments.map(({ sequence, amount, status, endToEndId, paidAt, errorMessage }) => ({
    id: childOrderId(payout.id, sequence),
    idempotencyKey: paymentKey(payout.idempotencyKey, sequence),
    sequence,
    amount: formatAmount(amount),
    status,
    endToEndId,
    ...(paidAt !== undefined && { paidAt }),
    ...(errorMessage !== undefined && { errorMessage }),
  }));
  return { id: payout.id, ...batchTotalsView(batchTotals(payments)), transactions };
}
