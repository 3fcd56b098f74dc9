import type * as z from 'zod';
import type { CanceledPaymentData, ChargeCancellationRecord, ScheduledPaymentRecord } from './contract.ts';
import type { ChargeCancellation, ScheduledPayment } from './model.ts';
import { amountView } from '../contract/amount-view.ts';

/**
 * A cancellation as the API writes it. Field by field: a replayed answer, made of what the table gives back, has the
 * bytes of the first one.
 */
export function chargeCancellationView(cancellation: ChargeCancellation): z.output<typeof ChargeCancellationRecord> {
  const { id, status, endToEndId, reason, canceledAt, customer } = cancellation;
  const { type, number } = customer.document;
  return { id, status, endToEndId, reason, canceledAt, customer: { document: { type, number } } };
}

/** A scheduled payment as the API writes it. What is not known is absent. */
export function scheduledPaymentView(payment: ScheduledPayment): z.output<typeof ScheduledPaymentRecord> {
  const { description, orderId, errorCode, cancellation, statusHistory } = payment;
  const { id, externalId, subscriptionId, status, purpose, updatedAt, ...chain } = shared(payment);
  return {
    id,
    externalId,
    subscriptionId,
    status,
    statusHistory: statusHistory.map((entry) => ({ status: entry.status, createdAt: entry.createdAt })),
    amount: amountView(payment.amount),
    dueDate: payment.dueDate,
    settlementDate: payment.settlementDate,
    ...(description !== undefined && { description }),
    purpose,
    ...chain,
    ...(orderId !== undefined && { orderId }),
    endToEndId: payment.endToEndId,
    ...(errorCode !== undefined && { errorCode }),
    ...(cancellation && { cancellation: chargeCancellationView(cancellation) }),
    createdAt: payment.createdAt,
    updatedAt,
  };
}

/**
 * A payment as a cancellation event shows it (6.5).
 * @throws Error for one without cancellation: it has no such event.
 */
export function canceledPaymentView(payment: ScheduledPayment): z.output<typeof CanceledPaymentData> {
  if (payment.cancellation === undefined) throw new Error('A payment without cancellation has no event of one.');
  return { ...shared(payment), cancellation: chargeCancellationView(payment.cancellation) };
}

function shared(payment: ScheduledPayment): Omit<z.output<typeof CanceledPaymentData>, 'cancellation'> {
  const { id, externalId, subscriptionId, status, purpose, updatedAt } = payment;
  const { originalScheduledPaymentId, settlementErrorRetryRootId, settlementErrorRetryAttempt } = payment;
  return {
    id,
    externalId,
    subscriptionId,
    status,
    purpose,
    ...(originalScheduledPaymentId !== undefined && { originalScheduledPaymentId }),
    ...(settlementErrorRetryRootId !== undefined && { settlementErrorRetryRootId }),
    ...(settlementErrorRetryAttempt !== undefined && { settlementErrorRetryAttempt }),
    updatedAt,
  };
}
