import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Dispute } from '#shared/disputes/model.ts';
import type { Credit } from '#shared/credits/model.ts';
import { returnableAmount } from '#shared/credits/model.ts';
import type { PayIn } from '#shared/pay-ins/model.ts';
import type { LedgerKind } from '#shared/platform/ledger/balance.ts';
import { ownOrderOf } from '#shared/platform/ledger/balance.ts';
import { isTakenByBank, longestBehindSeconds } from '#shared/platform/ledger/ledger.ts';
import type { BatchPayment, Payout } from '#shared/payouts/model.ts';
import { batchStatus } from '#shared/payouts/model.ts';
import type { Refund } from '#shared/refunds/model.ts';
import { openRefunds, refundableAmount, settledAmount } from '#shared/refunds/model.ts';
import { deliveryKeptDays } from '#shared/platform/outbox/delivery-items.ts';
import type { CompanyRecords } from './company-records.ts';
import { miscountedNotifications } from './owed-notifications.ts';

/** Difference between an expected and a found value. Amounts are in centavos. */
export type Difference = {
  readonly kind: DifferenceKind;
  readonly id: string;
  readonly expected: string;
  readonly found: string;
};
type DifferenceKind =
  | 'corrupt item'
  | 'unknown item'
  | 'balance against ledger'
  | 'balance below zero'
  | 'order against ledger'
  | 'credit against ledger'
  | 'dispute against ledger'
  | 'entry without order'
  | 'entry against order'
  | 'charge against order'
  | 'batch status against payments'
  | 'batch amount against payments'
  | 'order against deliveries'
  | 'delivery overdue'
  | 'nothing compared';

/** A part that is left out is 0. */
type Money = { readonly available: number; readonly reserved: number; readonly blocked?: number };

/** Only orders that changed within this time are compared with deliveries: the table deletes older deliveries. */
const comparableSeconds = (deliveryKeptDays - 1) * 86_400;
/** All retry delays of a delivery, and the grace of the sweep. */
const overdueSeconds = 3 * 3600;

/** When the table was read. */
type Reading = { readonly startedAt: Instant; readonly endedAt: Instant };

/** `compared`: accounts, orders and charges. `undecided`: those that differ, and changed while they were read. */
type Comparison = {
  readonly differences: readonly Difference[];
  readonly compared: number;
  readonly undecided: number;
};

/**
 * Compares a company's orders, deliveries and ledger. Where an account or order differs that changed while it was read,
 * the reading may have only a part of the change: another reading decides.
 */
export function differencesOf(records: CompanyRecords, reading: Reading): Comparison {
  const changing = changedIn(records, reading);
  const unread = (kind: 'corrupt item' | 'unknown item', expected: string) => (found: string) => {
    return { kind, id: '-', expected, found };
  };
  const found = [
    ...balances(records),
    ...ordersAgainstLedger(records),
    ...creditsAgainstLedger(records),
    ...disputesAgainstLedger(records),
    ...entriesAgainstOrders(records),
    ...chargesAgainstOrders(records),
    ...batches(records),
    ...ordersAgainstDeliveries(records, reading.startedAt),
  ];
  const undecided = new Set(found.flatMap(({ id }) => (changing.has(id) ? [id] : [])));
  const ids = new Set([
    ...records.balances.map(({ accountId }) => accountId),
    ...[...records.payIns, ...records.payouts, ...records.charges, ...records.credits, ...records.disputes].map(
      ({ id }) => id,
    ),
  ]);
  return {
    differences: [
      ...records.corrupt.map(unread('corrupt item', 'an item that matches its schema')),
      ...records.unknown.map(unread('unknown item', 'an entity that the comparison knows')),
      ...found.filter(({ id }) => !undecided.has(id)),
      ...overdue(records, reading.startedAt),
    ],
    compared: ids.difference(undecided).size,
    undecided: undecided.size,
  };
}

/**
 * Ids of the accounts and orders with a change that may have been committed during the reading: its time is at most so
 * much older, by the machine's clock or by the simulated one of the company.
 */
export function changedIn(
  { clock, ...records }: CompanyRecords,
  { startedAt, endedAt }: Reading,
): ReadonlySet<string | undefined> {
  const since = plusSeconds(startedAt, -longestBehindSeconds);
  const until = plusSeconds(endedAt, longestBehindSeconds);
  const isNew = (at: Instant | undefined): boolean =>
    at !== undefined && at >= since && (at <= until || at >= plusMilliseconds(since, clock.offsetMs));
  const payments = [...records.payments].filter(([, parts]) => parts.some(({ updatedAt }) => isNew(updatedAt)));
  const ids = new Set([
    ...records.balances.filter(({ updatedAt }) => isNew(updatedAt)).map(({ accountId }) => accountId),
    ...records.entries
      .filter(({ at }) => isNew(at))
      .flatMap(({ accountId, orderId, creditId, disputeId }) => [accountId, orderId, creditId, disputeId]),
    ...records.credits.filter(({ updatedAt }) => isNew(updatedAt)).flatMap(({ id, orderId }) => [id, orderId]),
    ...records.charges.filter(({ updatedAt }) => isNew(updatedAt)).flatMap(({ id, orderId }) => [id, orderId]),
    ...[...records.payIns, ...records.payouts].filter(({ updatedAt }) => isNew(updatedAt)).map(({ id }) => id),
    ...records.refunds
      .filter(({ createdAt, settledAt }) => isNew(createdAt) || isNew(settledAt))
      .map(({ orderId }) => orderId),
    ...payments.map(([payout]) => payout),
  ]);
  ids.delete(undefined);
  return ids;
}

function balances({ balances: all, entries }: CompanyRecords): Difference[] {
  return [...new Set(all.map(({ accountId }) => accountId))].flatMap((id) => {
    const own = entries.filter((entry) => entry.accountId === id);
    const shards = all.filter(({ accountId }) => accountId === id);
    const ledger = sum(own);
    const found = sum(shards);
    const taken = sum(own.filter(({ kind, available }) => isTakenByBank(kind) && available < 0));
    const low = [found, ...shards].some(
      ({ available, reserved, blocked }) => available < taken.available || reserved < 0 || blocked < 0,
    );
    return [
      ...unequalMoney('balance against ledger', id, ledger, found),
      ...(low ? [{ kind: 'balance below zero' as const, id, expected: 'no amount below 0', found: text(found) }] : []),
    ];
  });
}

/** A `COMPLETED` charge has one order of its amount, and an order that settles a charge has that charge. */
function chargesAgainstOrders({ charges, payIns }: CompanyRecords): Difference[] {
  const settled = payIns.flatMap(({ id, amount, subscription }) => {
    const charge = subscription?.scheduledPayment?.id;
    return charge === undefined ? [] : [{ charge, order: `order ${id} of ${amount}` }];
  });
  const completed = charges.flatMap(({ id, orderId, amount, status }) =>
    status === 'COMPLETED' ? [{ charge: id, order: `order ${orderId ?? '-'} of ${amount}` }] : [],
  );
  const ids = new Set([...settled, ...completed].map(({ charge }) => charge));
  const ordersOf = (id: string, pairs: typeof settled): string =>
    pairs
      .filter(({ charge }) => charge === id)
      .map(({ order }) => order)
      .join(', ') || 'no order';
  return [...ids].flatMap((id) => {
    return unequal('charge against order', id, ordersOf(id, completed), ordersOf(id, settled));
  });
}

/** Compares the ledger with the effect that the current state of an order has on its accounts. */
function ordersAgainstLedger(records: CompanyRecords): Difference[] {
  // The status of an order does not cover money received beside its own payment (credits), nor fees of the bank.
  const beside: readonly LedgerKind[] = ['UNMATCHED_CREDIT', 'PAYOUT_RETURNED_LATE', 'BANK_FEE'];
  const own = records.entries.filter(({ kind }) => !beside.includes(kind));
  const byOrder = Map.groupBy(own, ({ orderId }) => orderId);
  byOrder.delete(undefined);
  const known = new Set([...records.payIns, ...records.payouts].map(({ id }) => id));
  const unknownIds = [...byOrder.keys()].filter((id) => id !== undefined && !known.has(id));
  const effect = (id: string, on?: string): Money =>
    sum((byOrder.get(id) ?? []).filter(({ accountId }) => on === undefined || accountId === on));
  return [
    ...records.payIns.flatMap((payIn) => {
      const { id, accountId, payerAccountId } = payIn;
      const settled = settledAmount(refundsOf(payIn, records));
      const returned = { available: Math.max(0, settled - receivedByPayout(payIn, records)), reserved: 0 };
      return [
        ...unequalMoney(
          'order against ledger',
          id,
          receivedBy(payIn, records),
          sum([effect(id, accountId), assignedTo(payIn, records)]),
        ),
        ...(payerAccountId === undefined
          ? []
          : unequalMoney('order against ledger', id, returned, effect(id, payerAccountId))),
      ];
    }),
    ...records.payouts.flatMap((payout) => {
      const { id, accountId, internal } = payout;
      const payments = records.payments.get(id) ?? [];
      return [
        ...unequalMoney('order against ledger', id, sentBy(payout, payments), effect(id, accountId)),
        ...(internal === undefined
          ? []
          : unequalMoney('order against ledger', id, transferredBy(payout, payments), effect(id, internal.accountId))),
      ];
    }),
    ...unknownIds.flatMap((id = '-') => unequal('entry without order', id, 'an order', 'none')),
  ];
}

/** Returns what a credit that pays the pay-in brought: its entry names the credit, not the order. */
function assignedTo({ id }: PayIn, { credits }: CompanyRecords): Money {
  const paying = credits.filter(({ status, orderId }) => status === 'ASSIGNED' && orderId === id);
  return { available: total(paying), reserved: 0 };
}

/** Compares the entries of each credit with its amount and its returns. */
function creditsAgainstLedger(records: CompanyRecords): Difference[] {
  const byCredit = Map.groupBy(records.entries, ({ creditId }) => creditId);
  byCredit.delete(undefined);
  const known = new Set(records.credits.map(({ id }) => id));
  const unknownIds = [...byCredit.keys()].filter((id) => id !== undefined && !known.has(id));
  return [
    ...records.credits.flatMap((credit) =>
      unequalMoney('credit against ledger', credit.id, heldBy(credit, records), sum(byCredit.get(credit.id) ?? [])),
    ),
    ...unknownIds.flatMap((id = '-') => unequal('entry without order', id, 'a credit', 'none')),
  ];
}

/** Returns what is blocked for disputes. */
function blockedOf(disputes: readonly Dispute[]): number {
  return disputes.reduce((sum, { blockedAmount }) => sum + blockedAmount, 0);
}

function heldBy(credit: Credit, { creditReturns, disputes }: CompanyRecords): Money {
  const returns = creditReturns.filter(({ creditId }) => creditId === credit.id);
  const open = returns.filter(({ status }) => status === 'PENDING');
  const blocked = blockedOf(disputes.filter(({ creditId }) => creditId === credit.id));
  return { available: returnableAmount({ credit, returns }) - blocked, reserved: total(open), blocked };
}

/** Compares the entries of each dispute with what is blocked for it, and with what went back by it. */
function disputesAgainstLedger({ disputes, entries }: CompanyRecords): Difference[] {
  const byDispute = Map.groupBy(entries, ({ disputeId }) => disputeId);
  byDispute.delete(undefined);
  const known = new Set(disputes.map(({ id }) => id));
  const unknownIds = [...byDispute.keys()].filter((id) => id !== undefined && !known.has(id));
  return [
    ...disputes.flatMap(({ id, blockedAmount: blocked, returnedAmount }) => {
      const expected = { available: -(returnedAmount + blocked), reserved: 0, blocked };
      return unequalMoney('dispute against ledger', id, expected, sum(byDispute.get(id) ?? []));
    }),
    ...unknownIds.flatMap((id = '-') => unequal('entry without order', id, 'a dispute', 'none')),
  ];
}

/** Compares what each entry names with its order. Entries of earlier releases name no refund and no number. */
function entriesAgainstOrders({ entries, payIns, payouts, refunds }: CompanyRecords): Difference[] {
  const orders = new Map([...payIns, ...payouts].map((order) => [order.id, order]));
  const refunded = new Map(refunds.map(({ id, orderId }) => [id, orderId]));
  return entries.flatMap((entry) => {
    const { kind, orderId = '', accountId, refundId, endToEndId } = entry;
    const order = orders.get(orderId);
    if (order === undefined) return [];
    const compare = (name: string, expected = 'none', found = 'none'): Difference[] =>
      unequal('entry against order', orderId, `${name} ${expected}`, `${name} ${found}`);
    return [
      ...(ownOrderOf(entry) === undefined ? [] : compare('account', order.accountId, accountId)),
      ...(refundId === undefined ? [] : compare('refund of order', orderId, refunded.get(refundId))),
      ...(kind === 'PAY_IN' && endToEndId !== undefined ? compare('end-to-end id', order.endToEndId, endToEndId) : []),
    ];
  });
}

/** Returns what the payer's account got back as late returns of the payouts that paid a charge. */
function receivedByPayout({ id, payerAccountId }: PayIn, { payouts, entries }: CompanyRecords): number {
  const paying = new Set(payouts.filter(({ internal }) => internal?.payInId === id).map((payout) => payout.id));
  const returned = entries.filter(
    ({ kind, accountId, orderId = '' }) =>
      kind === 'PAYOUT_RETURNED_LATE' && accountId === payerAccountId && paying.has(orderId),
  );
  return sum(returned).available;
}

/**
 * Returns what a payout to an account of the service books there. A payout that pays a charge books nothing: the pay-in
 * of the charge does. A partially paid payout books its paid part.
 */
function transferredBy({ internal, ...payout }: Payout, payments: readonly BatchPayment[]): Money {
  const paid = (payments.length > 0 ? payments : [payout]).filter(({ status }) => status === 'PAID');
  const isCharge = internal?.payInId !== undefined && payout.status !== 'PARTIALLY_PAID';
  return { available: isCharge ? 0 : total(paid), reserved: 0 };
}

function receivedBy(payIn: PayIn, records: CompanyRecords): Money {
  if (payIn.status !== 'PAID') return { available: 0, reserved: 0 };
  const refunds = refundsOf(payIn, records);
  const blocked = blockedOf(records.disputes.filter(({ orderId }) => orderId === payIn.id));
  return {
    available: refundableAmount({ payIn, refunds }) - blocked,
    reserved: total(openRefunds(refunds)),
    blocked,
  };
}

function refundsOf({ id }: PayIn, { refunds }: CompanyRecords): readonly Refund[] {
  return refunds.filter(({ orderId }) => orderId === id);
}

function sentBy(payout: Payout, payments: readonly BatchPayment[]): Money {
  const parts = payments.length > 0 ? payments : [payout];
  const totalOf = (status: string): number => total(parts.filter((part) => part.status === status));
  return { available: -(totalOf('PENDING') + totalOf('PAID')), reserved: totalOf('PENDING') };
}

function batches({ payouts, payments }: CompanyRecords): Difference[] {
  return payouts.flatMap((payout): Difference[] => {
    const parts = payments.get(payout.id) ?? [];
    if (parts.length === 0) return [];
    const { id, status, amount } = payout;
    return [
      ...unequal('batch status against payments', id, batchStatus(parts), status),
      ...unequal('batch amount against payments', id, `${amount}`, `${total(parts)}`),
    ];
  });
}

/** Compares the notifications of orders, credits and disputes with those that they owe. */
function ordersAgainstDeliveries(records: CompanyRecords, now: Instant): Difference[] {
  return miscountedNotifications(records, plusSeconds(now, -comparableSeconds)).map(({ id, event, times, found }) => {
    return { kind: 'order against deliveries', id, expected: `${times} × ${event}`, found: `${found}` };
  });
}

function overdue({ deliveries }: CompanyRecords, now: Instant): Difference[] {
  return deliveries
    .filter(
      ({ status, dueAt }) => status === 'PENDING' && dueAt !== undefined && plusSeconds(dueAt, overdueSeconds) < now,
    )
    .map(({ id, dueAt = '' }) => ({ kind: 'delivery overdue', id, expected: `attempt at ${dueAt}`, found: 'none' }));
}

function unequal(kind: DifferenceKind, id: string, expected: string, found: string): Difference[] {
  return expected === found ? [] : [{ kind, id, expected, found }];
}

function unequalMoney(kind: DifferenceKind, id: string, expected: Money, found: Money): Difference[] {
  return unequal(kind, id, text(expected), text(found));
}

const text = ({ available, reserved, blocked = 0 }: Money): string =>
  `available ${available}, reserved ${reserved}${blocked === 0 ? '' : `, blocked ${blocked}`}`;

function sum(parts: readonly Money[]): Required<Money> {
  return parts.reduce<Required<Money>>(
    (subtotal, { available, reserved, blocked = 0 }) => ({
      available: subtotal.available + available,
      reserved: subtotal.reserved + reserved,
      blocked: subtotal.blocked + blocked,
    }),
    { available: 0, reserved: 0, blocked: 0 },
  );
}

function total(parts: readonly { readonly amount: number }[]): number {
  return parts.reduce((subtotal, { amount }) => subtotal + amount, 0);
}
