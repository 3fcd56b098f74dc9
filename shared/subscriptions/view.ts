import type * as z from 'zod';
import type { CancellationRecord, CreatedSubscription, SubscriptionEventData, SubscriptionRecord } from './contract.ts';
import type { Cancellation, Subscription, SubscriptionWithCancellations } from './model.ts';
import { qrImageBase64 } from '../contract/qr-image.ts';
import { amountView } from '../contract/amount-view.ts';

/**
 * A cancellation request as the API writes it (2.5). Field by field: a replayed answer, made of what the table gives
 * back, has the bytes of the first one.
 */
export function cancellationView(cancellation: Cancellation): z.output<typeof CancellationRecord> {
  const { id, idempotencyKey, status, statusHistory, reason, customer, createdAt, updatedAt } = cancellation;
  const { type, number } = customer.document;
  return {
    id,
    idempotencyKey,
    status,
    statusHistory: statusHistory.map((entry) => ({ status: entry.status, createdAt: entry.createdAt })),
    reason,
    customer: { document: { type, number } },
    createdAt,
    updatedAt,
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

/** A subscription as the API writes it (2.4). */
export function subscriptionView(aggregate: SubscriptionWithCancellations): z.output<typeof SubscriptionRecord> {
  const { qrcodeDetail, ...data } = subscriptionEventData(aggregate);
  return { ...data, qrcodeDetail: { imageBase64: imageOf(qrcodeDetail.qrcodeData), ...qrcodeDetail } };
}

/** The answer to a creation (2.3): only facts that no transition changes, so that a replay has the same bytes. */
export function createdSubscriptionView(subscription: Subscription): z.output<typeof CreatedSubscription> {
  const { id, status, qrcodeData, providerId, externalId, initialCharge } = subscription;
  return {
    id,
    // No transition leads to ERROR: only a creation ends so.
    status: status === 'ERROR' ? 'ERROR' : 'PENDING_AUTHORIZATION',
    qrcodeImageBase64: imageOf(qrcodeData),
    qrcodeData,
    providerId,
    externalId,
    ...(initialCharge && {
      initialCharge: {
        ...(initialCharge.orderId !== undefined && { orderId: initialCharge.orderId }),
        amount: amountView(initialCharge.amount),
        conciliationId: initialCharge.conciliationId,
        expireDateTime: initialCharge.expireDateTime,
      },
    }),
  };
}

/** What the bank refused has no code. */
function imageOf(qrcodeData: string): string {
  return qrcodeData === '' ? '' : qrImageBase64(qrcodeData);
}
