import type * as z from 'zod';
import type { CanceledPaymentData, ChargeCancellationRecord, ScheduledPaymentRecord } from './contract.ts';
import type { ChargeCancellation, ScheduledPayment } from './model.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

const chain = ['originalScheduledPaymentId', 'settlementErrorRetryRootId', 'settlementErrorRetryAttempt'] as const;

/** A cancellation as the API writes it. In one order of fields: a replay has the bytes of the first response. */
export function chargeCancellationView(cancellation: ChargeCancellation): z.output<typeof ChargeCancellationRecord> {
  return {
    ...pick(cancellation, 'id', 'status', 'endToEndId', 'reason', 'canceledAt'),
    customer: { document: pick(cancellation.customer.document, 'type', 'number') },
  };
}

/** A scheduled payment as the API writes it. What is not known is absent. */
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
