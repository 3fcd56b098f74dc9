import type * as z from 'zod';
import type { CanceledPaymentData, ChargeCancellationRecord, ScheduledPaymentRecord } from './contract.ts';
import type { ChargeCancellation, ScheduledPayment } from './model.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

const chain = ['originalScheduledPaymentId', 'settlementErrorRetryRootId', 'settlementErrorRetryAttempt'] as const;

/** Returns a cancellation as the API writes it. The field order is fixed: a replay has the same bytes. */
export function chargeCancellationView(cancellation: ChargeCancellation): z.output<typeof ChargeCancellationRecord> {
  return {
    ...pick(cancellation, 'id', 'status', 'endToEndId', 'reason', 'canceledAt'),
    customer: { document: pick(cancellation.customer.document, 'type', 'number') },
  };
}

/** Returns a scheduled payment as the API writes it. Unknown fields are absent. */
export function scheduledPaymentView(payment: ScheduledPayment): z.output<typeof ScheduledPaymentRecord> {
  const { cancellation, statusHistory } = payment;
  return {
    ...pick(payment, 'id', 'externalId', 'subscriptionId', 'status'),
    statusHistory: statusHistory.map((entry) => pick(entry, 'status', 'createdAt')),
    amount: amountView(payment.amount),
    ...pick(payment, 'dueDate', 'settlementDate', 'description', 'purpose', ...chain),
    ...pick(payment, 'orderId', 'endToEndId', 'errorCode'),
    ...(cancellation && { cancellation: chargeCancellationView(cancellation) }),
    ...pick(payment, 'createdAt', 'updatedAt'),
  };
}

/** A payment as a cancellation event shows it (6.5). @throws Error for one without cancellation. */
export function canceledPaymentView(payment: ScheduledPayment): z.output<typeof CanceledPaymentData> {
  if (payment.cancellation === undefined)
    throw new Error('A scheduled payment without a cancellation has no cancellation event.');
  return {
    ...pick(payment, 'id', 'externalId', 'subscriptionId', 'status', 'purpose', ...chain, 'updatedAt'),
    cancellation: chargeCancellationView(payment.cancellation),
  };
}
