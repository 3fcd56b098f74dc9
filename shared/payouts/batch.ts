import { maxChildren } from '../core/identifiers.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { addCentavos, centavos } from '../core/money.ts';

export const paymentStatuses = ['PENDING', 'PAID', 'CANCELED', 'ERROR'] as const;
/** What can become of one payment. */
export type PaymentStatus = (typeof paymentStatuses)[number];
/** A payout that was split can besides have ended with some of its payments paid and some not. */
export const payoutStatuses = [...paymentStatuses, 'PARTIALLY_PAID'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** One of the payments into which a payout was split (2.8, `transactions`). */
export type BatchPayment = {
  /** Its place in the batch, from 1. */
  readonly sequence: number;
  readonly amount: Centavos;
  readonly status: PaymentStatus;
  readonly endToEndId: string;
  readonly updatedAt: Instant;
  readonly paidAt?: Instant;
  readonly errorMessage?: string;
};

/** Counters and amounts of a batch (2.8): always counted from its payments, never kept beside them. */
export type BatchTotals = {
  readonly transactionsCount: number;
  readonly paidCount: number;
  readonly failedCount: number;
  readonly pendingCount: number;
  readonly paidAmount: Centavos;
  readonly pendingAmount: Centavos;
  readonly failedAmount: Centavos;
};

/**
 * The amounts of the payments for a payout above the limit of one transaction: as many full ones as fit, then the rest.
 * `undefined` when that makes more than 90 payments; one amount when nothing has to be split.
 */
export function splitAmount(amount: Centavos, limit: Centavos): readonly Centavos[] | undefined {
  if (limit <= 0) throw new RangeError(`The limit of a transaction cannot be ${limit} centavos.`);
  const count = Math.ceil(amount / limit);
  if (count > maxChildren) return undefined;
  return Array.from({ length: count }, (_, index) => centavos(Math.min(limit, amount - index * limit)));
}

/** The key of a payment: the first one has the batch's own, the others that with their place behind it (2.8). */
export function paymentKey(idempotencyKey: string, sequence: number): string {
  return sequence === 1 ? idempotencyKey : `${idempotencyKey}-${sequence}`;
}

export function batchTotals(payments: readonly BatchPayment[]): BatchTotals {
  const paid = payments.filter(({ status }) => status === 'PAID');
  const pending = payments.filter(({ status }) => status === 'PENDING');
  const failed = payments.filter(({ status }) => status === 'ERROR' || status === 'CANCELED');
  return {
    transactionsCount: payments.length,
    paidCount: paid.length,
    failedCount: failed.length,
    pendingCount: pending.length,
    paidAmount: sum(paid),
    pendingAmount: sum(pending),
    failedAmount: sum(failed),
  };
}

/**
 * The status of a batch from those of its payments: `PENDING` while one is open, `PAID` when all are paid,
 * `PARTIALLY_PAID` when some are, `ERROR` when none is, canceled or failed.
 */
export function batchStatus(payments: readonly BatchPayment[]): PayoutStatus {
  const { pendingCount, paidCount, transactionsCount } = batchTotals(payments);
  if (pendingCount > 0) return 'PENDING';
  if (paidCount === transactionsCount) return 'PAID';
  return paidCount > 0 ? 'PARTIALLY_PAID' : 'ERROR';
}

function sum(payments: readonly BatchPayment[]): Centavos {
  return addCentavos(...payments.map(({ amount }) => amount));
}
