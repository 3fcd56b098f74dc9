import { expect, test } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import type { CompanyRecords } from '#infra/operator/reconciliation/company-records.ts';
import { newRecords } from '#infra/operator/reconciliation/company-records.ts';
import { differencesOf } from '#infra/operator/reconciliation/differences.ts';
import { aPayIn, aRefund } from '../support/builders.ts';

const now = '2026-01-15T15:05:00.000Z';
const since = '2026-01-15T15:00:00.000Z';
const old = '2026-01-15T12:00:00.000Z';
const money = { available: 0, reserved: 0, amount: 0 };
const order = { orderId: 'o-1', accountId: 'a-1', status: 'PENDING', ...money };

/** Every time of a record at which the comparison must not rely on its account or order, with the ids left out. */
const times: readonly (readonly [string, (at: string) => object, number])[] = [
  ['the change of a balance', (updatedAt) => ({ balances: [{ ...order, updatedAt }] }), 1],
  ['an entry of a ledger', (at) => ({ entries: [{ ...order, kind: 'PAY_IN', at }] }), 2],
  ['the change of a charge', (updatedAt) => ({ charges: [{ ...order, id: 'c-1', updatedAt }] }), 2],
  ['the change of a pay-in', (updatedAt) => ({ payIns: [aPayIn({ updatedAt })] }), 1],
  ['the request of a refund', (createdAt) => ({ refunds: [aRefund({ createdAt })] }), 1],
  ['the settlement of a refund', (settledAt) => ({ refunds: [aRefund({ createdAt: old, settledAt })] }), 1],
  ['the change of a payout', (updatedAt) => ({ payouts: [{ ...order, id: 'p-1', updatedAt }] }), 1],
  ['the change of a payment', (updatedAt) => ({ payments: new Map([['p-1', [{ ...order, updatedAt }]]]) }), 1],
];

test.each(times)('%s leaves its account and order out of a reading that begins soon after', (_what, given, ids) => {
  const changing = (at: string): number => {
    // The records have only what the comparison reads.
    const records: CompanyRecords = Object.assign(newRecords(), given(at));
    return differencesOf(records, now, since).changing;
  };
  expect([plusMilliseconds(since, -1), since, now].map(changing)).toEqual([0, ids, ids]);
});
