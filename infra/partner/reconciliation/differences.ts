import type { Instant } from '../../../shared/domain/brasilia-time.ts';
import { plusSeconds } from '../../../shared/domain/brasilia-time.ts';
import type { PayIn } from '../../../shared/domain/pay-in.ts';
import type { BatchPayment } from '../../../shared/domain/payout-batch.ts';
import { batchStatus } from '../../../shared/domain/payout-batch.ts';
import type { Payout } from '../../../shared/domain/payout.ts';
import { openRefund } from '../../../shared/domain/refund.ts';
import type { CompanyRecords } from './company-records.ts';

/** One thing that does not agree with another: amounts in centavos. */
export type Difference = {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly expected: string;
  readonly found: string;
};
export type DifferenceKind =
  | 'corrupt item'
  | 'balance against ledger'
  | 'balance below zero'
  | 'order against ledger'
  | 'entry without order'
  | 'batch status against payments'
  | 'batch amount against payments'
  | 'order against deliveries'
  | 'delivery overdue';

type Money = { readonly available: number; readonly reserved: number };

/** Deliveries are kept for 90 days; orders that moved before that have none left to compare. */
const DELIVERIES_KEPT_SECONDS = 89 * 86_400;
/** All waits of a delivery together, and the sweep's patience on top. */
const OVERDUE_SECONDS = 3 * 3600;

/** Every difference between a company's orders, deliveries and ledger. Pure. */
export function differencesOf(records: CompanyRecords, now: Instant): readonly Difference[] {
  return [
    ...records.corrupt.map((found): Difference => ({
      kind: 'corrupt item',
      id: '-',
      expected: 'an item of its schema',
      found,
    })),
    ...balances(records),
    ...ordersAgainstLedger(records),
    ...batches(records),
    ...ordersAgainstDeliveries(records, now),
    ...overdue(records, now),
  ];
}

function balances({ balances: all, entries }: CompanyRecords): Difference[] {
  return all.flatMap(({ accountId: id, available, reserved }) => {
    const ledger = sum(entries.filter((entry) => entry.accountId === id));
    const found = { available, reserved };
    const low = available < 0 || reserved < 0;
    return [
      ...unequal('balance against ledger', id, ledger, found),
      ...(low ? [{ kind: 'balance below zero' as const, id, expected: 'nothing below 0', found: text(found) }] : []),
    ];
  });
}

/** What an order should have done to its account, by its present state alone. */
function ordersAgainstLedger(records: CompanyRecords): Difference[] {
  const byOrder = Map.groupBy(records.entries, ({ orderId }) => orderId);
  byOrder.delete(undefined);
  const known = new Set([...records.payIns, ...records.payouts].map(({ id }) => id));
  const strangers = [...byOrder.keys()].filter((id) => id !== undefined && !known.has(id));
  const effect = (id: string): Money => sum(byOrder.get(id) ?? []);
  return [
    ...records.payIns.flatMap((payIn) =>
      unequal('order against ledger', payIn.id, received(payIn, records), effect(payIn.id)),
    ),
    ...records.payouts.flatMap((payout) => {
      const expected = sent(payout, records.payments.get(payout.id) ?? []);
      return unequal('order against ledger', payout.id, expected, effect(payout.id));
    }),
    ...strangers.map((id): Difference => ({
      kind: 'entry without order',
      id: id ?? '-',
      expected: 'an order',
      found: 'none',
    })),
  ];
}

function received({ id, status, amount }: PayIn, { refunds }: CompanyRecords): Money {
  if (status !== 'PAID') return { available: 0, reserved: 0 };
  const open = openRefund(refunds.filter(({ orderId }) => orderId === id));
  return open === undefined ? { available: amount, reserved: 0 } : { available: 0, reserved: amount };
}

function sent(payout: Payout, payments: readonly BatchPayment[]): Money {
  const parts = payments.length > 0 ? payments : [payout];
  const of = (status: string): number => total(parts.filter((part) => part.status === status));
  return { available: -(of('PENDING') + of('PAID')), reserved: of('PENDING') };
}

function batches({ payouts, payments }: CompanyRecords): Difference[] {
  return payouts.flatMap((payout): Difference[] => {
    const parts = payments.get(payout.id) ?? [];
    if (parts.length === 0) return [];
    const derived = batchStatus(parts);
    const amount = total(parts);
    const { id } = payout;
    return [
      ...(derived === payout.status
        ? []
        : [{ kind: 'batch status against payments' as const, id, expected: derived, found: payout.status }]),
      ...(amount === payout.amount
        ? []
        : [{ kind: 'batch amount against payments' as const, id, expected: `${payout.amount}`, found: `${amount}` }]),
    ];
  });
}

/** Each status that an order came to must have been told exactly once; resends are told again on purpose. */
function ordersAgainstDeliveries(records: CompanyRecords, now: Instant): Difference[] {
  const since = plusSeconds(now, -DELIVERIES_KEPT_SECONDS);
  const counts = new Map<string, number>();
  for (const { id, event, resendOf } of records.deliveries) {
    if (resendOf !== undefined) continue;
    const key = `${records.told.get(id) ?? ''} ${event}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const owed = [
    ...records.payIns
      .filter(({ updatedAt }) => updatedAt > since)
      .flatMap((payIn) => eventsOfPayIn(payIn).map((event) => [payIn.id, event])),
    ...records.payouts
      .filter(({ updatedAt }) => updatedAt > since)
      .flatMap((payout) => eventsOfPayout(payout).map((event) => [payout.id, event])),
  ];
  return owed.flatMap(([id = '', event = '']): Difference[] => {
    const found = counts.get(`${id} ${event}`) ?? 0;
    return found === 1 ? [] : [{ kind: 'order against deliveries', id, expected: `1 × ${event}`, found: `${found}` }];
  });
}

function eventsOfPayIn({ status }: PayIn): readonly string[] {
  if (status === 'PENDING') return [];
  return status === 'REFUNDED' ? ['ORDER-PAYIN.PAID', 'ORDER-PAYIN.REFUNDED'] : [`ORDER-PAYIN.${status}`];
}

function eventsOfPayout({ status }: Payout): readonly string[] {
  if (status === 'PENDING') return [];
  return [`ORDER-PAYOUT.${status === 'PARTIALLY_PAID' ? 'ERROR' : status}`];
}

function overdue({ deliveries }: CompanyRecords, now: Instant): Difference[] {
  return deliveries
    .filter(
      ({ status, dueAt }) => status === 'PENDING' && dueAt !== undefined && plusSeconds(dueAt, OVERDUE_SECONDS) < now,
    )
    .map(({ id, dueAt = '' }) => ({ kind: 'delivery overdue', id, expected: `attempt at ${dueAt}`, found: 'none' }));
}

function unequal(kind: DifferenceKind, id: string, expected: Money, found: Money): Difference[] {
  if (expected.available === found.available && expected.reserved === found.reserved) return [];
  return [{ kind, id, expected: text(expected), found: text(found) }];
}

const text = ({ available, reserved }: Money): string => `available ${available}, reserved ${reserved}`;

function sum(parts: readonly Money[]): Money {
  return parts.reduce<Money>(
    (so, { available, reserved }) => ({ available: so.available + available, reserved: so.reserved + reserved }),
    { available: 0, reserved: 0 },
  );
}

function total(parts: readonly { readonly amount: number }[]): number {
  return parts.reduce((so, { amount }) => so + amount, 0);
}
