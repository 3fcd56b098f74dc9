import type * as z from 'zod';
import type { CanceledPaymentData, ChargeCancellationRecord, ScheduledPaymentRecord } from './contract.ts';
import type { ChargeCancellation, ScheduledPayment } from './model.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

const chain = ['originalScheduledPaymentId', 'settlementErrorRetryRootId', 'settlementErrorRetryAttempt'] as const;

/** Returns a cancellation as the API writes it. The field order is fixed: a replay has the same bytes. */
function chargeCancellationView(cancellation: ChargeCancellation): z.output<typeof ChargeCancellationRecord> {
  return {
    ...pick(cancellation, 'id', 'status', 'endToEndId', 'reason', 'canceledAt', 'createdBy'),
    customer: { document: pick(cancellation.customer.document, 'type', 'number') },
  };
}

/** Returns the answer to a request for a cancellation, and to its repetition. */
export function createdChargeCancellationView({
  createdBy: _by,
  ...cancellation
}: ChargeCancellation): z.output<typeof ChargeCancellationRecord> {
  return chargeCancellationView(cancellation);
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
    ...pick(payment, 'createdAt', 'createdBy', 'updatedAt'),
  };
}

/** Returns the answer to the request that creates a scheduled payment, also when it is repeated: the record of now. */
export function createdScheduledPaymentView({
  createdBy: _by,
  ...payment
}: ScheduledPayment): z.output<typeof ScheduledPaymentRecord> {
  return scheduledPaymentView(payment);
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
