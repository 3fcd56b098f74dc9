import { expect } from 'vitest';
import * as z from 'zod';
import type { PayIn } from '#shared/pay-ins/model.ts';
import type { BatchPayment, Payout } from '#shared/payouts/model.ts';
import { batchStatus } from '#shared/payouts/model.ts';
import type { Refund } from '#shared/refunds/model.ts';
import { accountBalances } from '#test/support/account-balances.ts';
import { parsePayIn } from '#shared/pay-ins/store.ts';
import { parseRefund } from '#shared/refunds/store.ts';
import { parsePayment, parsePayout } from '#shared/payouts/store.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { isDue, isDueEverywhere } from '../support/due.ts';

type Known = {
  readonly payouts: readonly { item: Item; payout: Payout; payments: readonly BatchPayment[] }[];
  readonly payIns: readonly { item: Item; payIn: PayIn; refunds: readonly Refund[] }[];
};

/** Everything that must be true of the table after every single write, whatever came before. */
export function checkOrders(items: readonly Item[]): void {
  const known = understood(items);
  checkMoney(items, known);
  checkKeys(items, known);
  checkBatches(known);
  checkControlNumbers(items, known);
  checkNotifications(items, known);
  checkDue(known);
  checkRefunds(known);
}

function understood(items: readonly Item[]): Known {
  const itemsOf = (entity: string): Item[] => items.filter((item) => item['entity'] === entity);
  const beside = (PK: string, entity: string): Item[] => itemsOf(entity).filter((item) => item.PK === PK);
  return {
    payouts: itemsOf('PAYOUT').map((item) => ({
      item,
      payout: parsePayout(item),
      payments: beside(item.PK, 'PAYOUT_PAYMENT').map(parsePayment),
    })),
    payIns: itemsOf('PAY_IN').map((item) => ({
      item,
      payIn: parsePayIn(item),
      refunds: beside(item.PK, 'REFUND').map(parseRefund),
    })),
  };
}

/** The refunds of a pay-in that have not failed are at most its amount, and it is `REFUNDED` when all has gone back. */
function checkRefunds({ payIns }: Known): void {
  for (const { payIn, refunds } of payIns) {
    const live = refunds.filter(({ status }) => status !== 'FAILED');
    expect(sum(live.map(({ amount }) => amount)), 'refunds of a pay-in').toBeLessThanOrEqual(payIn.amount);
    expect(payIn.status === 'REFUNDED', 'all has gone back').toBe(settledOf(refunds) === payIn.amount);
    const parts = refunds.filter(({ status, amount }) => status === 'SETTLED' && amount !== payIn.amount);
    expect(payIn.refundedAmount, 'what has gone back in parts').toBe(
      parts.length === 0 ? undefined : settledOf(refunds),
    );
  }
}

const settledOf = (refunds: readonly Refund[]): number =>
  sum(refunds.filter(({ status }) => status === 'SETTLED').map(({ amount }) => amount));
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** Balances are not negative, equal the sum of their entries, and say what the orders say. */
function checkMoney(items: readonly Item[], { payouts, payIns }: Known): void {
  for (const { accountId, available, reserved, entries: own } of accountBalances(items)) {
    expect(available, 'available').toBeGreaterThanOrEqual(0);
    expect(reserved, 'reserved').toBeGreaterThanOrEqual(0);
    expect([sum(own.map((one) => one.available)), sum(own.map((one) => one.reserved))], 'sum of entries').toEqual([
      available,
      reserved,
    ]);
    const sent = payouts
      .filter(({ payout }) => payout.accountId === accountId)
      .flatMap(({ payout, payments }): readonly (Payout | BatchPayment)[] =>
        payments.length === 0 ? [payout] : payments,
      );
    const received = payIns.filter(({ payIn }) => payIn.accountId === accountId);
    const transferred = sum(
      payouts.filter(({ payout }) => payout.internal?.accountId === accountId).map(transferredBy),
    );
    const returned = sum(payouts.filter(({ payout }) => payout.accountId === accountId).map(returnedOf(payIns)));
    const opening = sum(own.filter(({ kind }) => kind === 'OPENING').map((one) => one.available));
    const amounts = (status: string): number =>
      sum(sent.filter((one) => one.status === status).map(({ amount }) => amount));
    const paidIn = sum(
      received
        .filter(({ payIn }) => ['PAID', 'REFUNDED'].includes(payIn.status))
        .map(({ payIn, refunds }) => payIn.amount - settledOf(refunds)),
    );
    const asked = sum(
      received
        .flatMap(({ refunds }) => refunds.filter(({ status }) => status === 'PENDING'))
        .map(({ amount }) => amount),
    );
    expect(available + reserved, 'money is conserved').toBe(
      opening + paidIn + transferred + returned - amounts('PAID'),
    );
    expect(reserved, 'the reserved amount is that of open orders').toBe(amounts('PENDING') + asked);
  }
}

/**
 * What another account of the company has by a payout itself: what was paid of it. What pays a charge is counted with
 * the pay-in, unless only a part of it was paid.
 */
function transferredBy({ payout, payments }: Known['payouts'][number]): number {
  if (payout.internal?.payInId !== undefined && payout.status !== 'PARTIALLY_PAID') return 0;
  const parts: readonly (Payout | BatchPayment)[] = payments.length === 0 ? [payout] : payments;
  return sum(parts.filter(({ status }) => status === 'PAID').map(({ amount }) => amount));
}

/** What a payout paid of a charge of the company comes back as the charge is refunded. */
function returnedOf(payIns: Known['payIns']): (order: Known['payouts'][number]) => number {
  return ({ payout }) => {
    const charge = payIns.find(
      ({ payIn }) => payIn.endToEndId === payout.endToEndId && payout.internal?.payInId === payIn.id,
    );
    return settledOf(charge?.refunds ?? []);
  };
}

/** No two TEDs have one control number, and each that has one keeps it for itself. */
function checkControlNumbers(items: readonly Item[], { payouts }: Known): void {
  const controlNumbers = payouts.flatMap(({ payout }) => payout.controlNumber ?? []);
  expect(new Set(controlNumbers).size, 'one TED a control number').toBe(controlNumbers.length);
  const kept = new Set(items.filter((item) => item['entity'] === 'CONTROL_NUMBER').map(({ PK }) => PK));
  for (const number of controlNumbers)
    expect(kept.has(`CONTROL_NUMBER#${number}`), 'a control number is kept').toBe(true);
}

/** One payout a key, one resource an external id. */
function checkKeys(items: readonly Item[], { payouts, payIns }: Known): void {
  const company = ({ PK }: Item): string => PK.slice(0, 'C#'.length + 36);
  const keys = payouts.map(({ item, payout }) => `${company(item)} ${payout.idempotencyKey}`);
  expect(new Set(keys).size, 'one payout for each key').toBe(keys.length);
  const claimed = items.filter((item) => item['entity'] === 'IDEMPOTENCY' && item.PK.includes('#createPayout#'));
  expect(claimed.length, 'a key for each payout').toBe(payouts.length);
  const external = [
    ...payouts.map(({ item, payout }) => `${company(item)} PAYOUT ${payout.externalId}`),
    ...payIns.map(({ item, payIn }) => `${company(item)} PAY_IN ${payIn.externalId}`),
  ];
  expect(new Set(external).size, 'one resource an external id').toBe(external.length);
}

/** What a batch is follows from its payments. */
function checkBatches({ payouts }: Known): void {
  for (const { payout, payments } of payouts.filter((order) => order.payments.length > 0)) {
    expect(payout.status, 'status of a batch').toBe(batchStatus(payments));
    const open = payments.filter(({ status }) => status === 'PENDING').length;
    if (payout.openPayments !== undefined) expect(payout.openPayments, 'count of open payments').toBe(open);
    expect(sum(payments.map(({ amount }) => amount)), 'amount of a batch').toBe(payout.amount);
    expect(payments.map(({ sequence }) => sequence)).toEqual(payments.map((_, index) => index + 1));
  }
}

/** Exactly one delivery, with its bytes, for each move that notifies. */
function checkNotifications(items: readonly Item[], { payouts, payIns }: Known): void {
  const notified = (status: string): string => (status === 'PARTIALLY_PAID' ? 'ERROR' : status);
  const expected = [
    ...payouts
      .filter(({ payout }) => payout.status !== 'PENDING')
      .map(({ payout }) => `ORDER-PAYOUT.${notified(payout.status)} ${payout.id}`),
    ...payIns.flatMap(({ payIn, refunds }) => {
      const event = (status: string): string => `ORDER-PAYIN.${status} ${payIn.id}`;
      if (payIn.status === 'PENDING') return [];
      const ends = refunds.filter(({ status }) => status !== 'PENDING');
      return [
        event(payIn.status === 'REFUNDED' ? 'PAID' : payIn.status),
        ...ends.map(({ status }) => event(status === 'SETTLED' ? 'REFUNDED' : 'REFUND_FAILED')),
      ];
    }),
  ];
  const bodies = items.filter((item) => item['entity'] === 'DELIVERY_BODY');
  const deliveries = items.filter((item) => item['entity'] === 'DELIVERY');
  expect(deliveries.map(({ PK }) => PK).sort(), 'a body for each delivery').toEqual(bodies.map(({ PK }) => PK).sort());
  const sent = bodies.map((item) => {
    const { event, id } = JSON.parse(z.string().parse(item['body'])) as { event: string; id: string };
    return `${event} ${id}`;
  });
  expect(sent.sort(), 'one delivery for each transition that notifies').toEqual(expected.sort());
}

/** What is final waits for nothing. */
function checkDue({ payouts, payIns }: Known): void {
  for (const { item, payout } of payouts)
    if (payout.status !== 'PENDING') expect(isDue(item), 'a final payout is not due').toBe(false);
  for (const { item, payIn } of payIns)
    expect(isDue(item), 'a pay-in is due while it is pending').toBe(payIn.status === 'PENDING');
  for (const { item } of [...payouts, ...payIns])
    expect(isDueEverywhere(item), 'work that is due in its company is due across companies').toBe(isDue(item));
}
