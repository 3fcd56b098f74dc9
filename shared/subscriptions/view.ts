import type * as z from 'zod';
import type { CancellationRecord, CreatedSubscription, SubscriptionEventData, SubscriptionRecord } from './contract.ts';
import type { Cancellation, Subscription, SubscriptionWithCancellations } from './model.ts';
import { qrImageBase64 } from '../contract/qr-image.ts';
import { pick } from '../core/pick.ts';
import { amountView } from '../core/money.ts';

/** Returns a cancellation request as the API writes it (2.5). The field order is fixed: a replay has the same bytes. */
export function cancellationView(cancellation: Cancellation): z.output<typeof CancellationRecord> {
  return {
    ...pick(cancellation, 'id', 'idempotencyKey', 'status'),
    statusHistory: cancellation.statusHistory.map((entry) => pick(entry, 'status', 'createdAt')),
    reason: cancellation.reason,
    customer: { document: pick(cancellation.customer.document, 'type', 'number') },
    ...pick(cancellation, 'createdAt', 'createdBy', 'updatedAt'),
  };
}

/** `data` of a subscription event: the record without the image. */
export function subscriptionEventData({
  subscription,
  cancellations,
}: SubscriptionWithCancellations): z.output<typeof SubscriptionEventData> {
  const {
    version: _version,
    expectedPayer: _expected,
    ownerBank: _own,
    connection: _connection,
    cancellationsCount: _count,
    ...shown
  } = subscription;
  const { qrcodeData, statusHistory, ...record } = shown;
  const { initialCharge, fixedAmount, maxAmountFloor, ...rest } = record;
  return {
    ...rest,
    statusHistory: [...statusHistory],
    qrcodeDetail: { qrcodeData },
    ...(initialCharge && { initialCharge: { ...initialCharge, amount: amountView(initialCharge.amount) } }),
    ...(fixedAmount !== undefined && { fixedAmount: amountView(fixedAmount) }),
    ...(maxAmountFloor !== undefined && { maxAmountFloor: amountView(maxAmountFloor) }),
    cancellations: cancellations.map(cancellationView),
  };
}

export function subscriptionView(aggregate: SubscriptionWithCancellations): z.output<typeof SubscriptionRecord> {
  const { qrcodeDetail, ...data } = subscriptionEventData(aggregate);
  return { ...data, qrcodeDetail: { imageBase64: imageOf(qrcodeDetail.qrcodeData), ...qrcodeDetail } };
}

/** The response to a creation (2.3): facts that no transition changes, so that a replay has the same bytes. */
export function createdSubscriptionView(subscription: Subscription): z.output<typeof CreatedSubscription> {
  const { id, status, qrcodeData, initialCharge } = subscription;
  return {
    id,
    // Only a creation ends in `ERROR`; no later transition leads to it.
    status: status === 'ERROR' ? 'ERROR' : 'PENDING_AUTHORIZATION',
    qrcodeImageBase64: imageOf(qrcodeData),
    ...pick(subscription, 'qrcodeData', 'providerId', 'externalId'),
    ...(initialCharge && {
      initialCharge: {
        ...pick(initialCharge, 'orderId'),
        amount: amountView(initialCharge.amount),
        ...pick(initialCharge, 'conciliationId', 'expireDateTime'),
      },
    }),
  };
}

/** Returns the image; '' for a subscription that the bank refused. */
function imageOf(qrcodeData: string): string {
  return qrcodeData === '' ? '' : qrImageBase64(qrcodeData);
}
