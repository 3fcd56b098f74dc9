import type { Instant } from '#shared/core/brasilia-time.ts';
import { notifiedReturnStatuses } from '#shared/credits/notification.ts';
import type { DisputeStatus } from '#shared/disputes/model.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import type { Payout } from '#shared/payouts/model.ts';
import type { Refund } from '#shared/refunds/model.ts';
import { notifiedRefundStatuses } from '#shared/refunds/model.ts';
import type { CompanyRecords } from './company-records.ts';

/** A notification that was created too often, or not often enough. */
type Miscounted = { readonly id: string; readonly event: string; readonly times: number; readonly found: number };

/**
 * Returns where a status of an order or dispute, or a refund or return that ended, does not have its one notification.
 * Resends do not count.
 * @param since what changed before is not compared: its deliveries may be gone
 */
export function miscountedNotifications(records: CompanyRecords, since: Instant): readonly Miscounted[] {
  const counts = new Map<string, number>();
  for (const { id, event, resendOf } of records.deliveries) {
    if (resendOf !== undefined) continue;
    const key = `${records.events.get(id) ?? ''} ${event}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const ofOrders = Map.groupBy(records.refunds, ({ orderId }) => orderId);
  const owed: readonly (readonly [id: string, event: string, times: number])[] = [
    ...records.payIns
      .filter(({ updatedAt }) => updatedAt > since)
      .flatMap((payIn) => eventsOfPayIn(payIn).map((event) => [payIn.id, event, 1] as const)),
    ...[...ofOrders]
      .filter(([, refunds]) => refunds.every(({ createdAt }) => createdAt > since))
      .flatMap(([id, refunds]) => eventsOfRefunds(refunds).map(([event, times]) => [id, event, times] as const)),
    ...records.credits
      .filter(({ receivedAt }) => receivedAt > since)
      .map(({ id }) => [id, 'CREDIT.RECEIVED', 1] as const),
    ...records.creditReturns
      .filter(({ createdAt }) => createdAt > since)
      .flatMap(({ id, status }) => (status === 'PENDING' ? [] : [[id, notifiedReturnStatuses[status], 1] as const])),
    ...records.disputes
      .filter(({ createdAt }) => createdAt > since)
      .flatMap(({ id, statusHistory }) => statusHistory.map(({ status }) => [id, eventOfDispute(status), 1] as const)),
    ...records.payouts
      .filter(({ updatedAt }) => updatedAt > since)
      .flatMap((payout) => eventsOfPayout(payout).map((event) => [payout.id, event, 1] as const)),
  ];
  return owed.flatMap(([id, event, times]) => {
    const found = counts.get(`${id} ${event}`) ?? 0;
    return found === times ? [] : [{ id, event, times, found }];
  });
}

function eventOfDispute(status: DisputeStatus): string {
  return `DISPUTE.${status === 'OPEN' ? 'OPENED' : status}`;
}

function eventsOfPayIn({ status }: PayIn): readonly string[] {
  if (status === 'PENDING') return [];
  return [status === 'REFUNDED' ? 'ORDER-PAYIN.PAID' : `ORDER-PAYIN.${status}`];
}

function eventsOfRefunds(refunds: readonly Refund[]): readonly (readonly [event: string, times: number])[] {
  return Object.entries(notifiedRefundStatuses).map(([ended, { event }]) => {
    return [event, refunds.filter(({ status }) => status === ended).length];
  });
}

function eventsOfPayout({ status }: Payout): readonly string[] {
  if (status === 'PENDING') return [];
  return [`ORDER-PAYOUT.${status === 'PARTIALLY_PAID' ? 'ERROR' : status}`];
}
