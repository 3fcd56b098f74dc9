import type { Instant } from '../core/brasilia-time.ts';
import type { Resender, ScheduledPayment } from './model.ts';
import { isExecutable, isPastExecution } from './window.ts';

/** Resends of one charge on its day (specification, 8). */
export const maxResends = 3;

/**
 * Whether a payment that a settlement error canceled now is sent again: on its day, before 21:00, fewer than three
 * times.
 */
export function owesResend(
  { settlementDate, settlementErrorRetryAttempt = 0 }: ScheduledPayment,
  at: Instant,
): boolean {
  return isExecutable(settlementDate, at) && settlementErrorRetryAttempt < maxResends;
}

/**
 * What becomes of an owed resend when it is looked at: all is checked again, for hours may have passed. `MISSED`: its
 * day's 21:00 has come, it is never sent any more. `NONE`: nothing is owed, or not by the one who looks.
 */
export function decideResend(payment: ScheduledPayment, at: Instant, by: Resender = 'us'): 'SEND' | 'MISSED' | 'NONE' {
  if (payment.resendOwed === undefined) return 'NONE';
  if (isPastExecution(payment.settlementDate, at)) return 'MISSED';
  return payment.resendOwed.by === by && owesResend(payment, at) ? 'SEND' : 'NONE';
}

/** The resend of a payment: the same charge under names of its own, with the service as its author (6.5). */
export function resendOf(
  original: ScheduledPayment,
  made: { readonly id: string; readonly externalId: string; readonly endToEndId: string },
  at: Instant,
): ScheduledPayment {
  const { id, subscriptionId, amount, dueDate, settlementDate, description } = original;
  const { settlementErrorRetryAttempt = 0, settlementErrorRetryRootId = id } = original;
  return {
    ...made,
    subscriptionId,
    status: 'PENDING',
    statusHistory: (['INITIAL', 'PENDING'] as const).map((status) => ({ status, createdAt: at })),
    amount,
    dueDate,
    settlementDate,
    ...(description !== undefined && { description }),
    purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
    originalScheduledPaymentId: id,
    settlementErrorRetryRootId,
    settlementErrorRetryAttempt: settlementErrorRetryAttempt + 1,
    createdAt: at,
    updatedAt: at,
    untold: ['SCHEDULE'],
    version: 1,
  };
}

/** The payment without its debt: it was resent, or missed its hour. */
export function withoutOwedResend({ resendOwed: _owed, ...payment }: ScheduledPayment): ScheduledPayment {
  return { ...payment, version: payment.version + 1 };
}
