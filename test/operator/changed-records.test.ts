import { expect, test } from 'vitest';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CompanyRecords } from '#infra/operator/reconciliation/company-records.ts';
import { endpointFunction, workers } from '#functions/workers.ts';
import { longestBehindSeconds } from '#shared/platform/ledger/ledger.ts';
import { newRecords } from '#infra/operator/reconciliation/company-records.ts';
import { changedIn } from '#infra/operator/reconciliation/differences.ts';
import { aPayIn, aRefund } from '../support/builders.ts';

const startedAt = '2026-01-15T15:01:00.000Z';
const endedAt = '2026-01-15T15:03:00.000Z';
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

/** How many accounts and orders a record leaves out, where the company's clock is so many milliseconds ahead. */
const changing = (record: object, offsetMs = 0): number => {
  // The records have only what the comparison reads.
  const records: CompanyRecords = Object.assign(newRecords(), record);
  records.clock.offsetMs = offsetMs;
  return changedIn(records, { startedAt, endedAt }).size;
};

test.each(times)('%s may be half read where it is a minute older than the reading, or newer', (_what, given, ids) => {
  const at = [plusMilliseconds(since, -1), since, startedAt, endedAt, plusSeconds(endedAt, 60)];
  expect(at.map((one) => changing(given(one)))).toEqual([0, ids, ids, ids, ids]);
});

test('a change by a simulated clock may be half read only where it is new by that clock', () => {
  const day = 86_400_000;
  const changed = (updatedAt: Instant) => changing({ payIns: [aPayIn({ updatedAt })] }, day);
  const simulated = plusMilliseconds(since, day);
  expect([plusSeconds(endedAt, 61), plusMilliseconds(simulated, -1), simulated].map(changed)).toEqual([0, 0, 1]);
  expect([since, plusSeconds(endedAt, 60)].map(changed), 'a command of an operator has real time').toEqual([1, 1]);
});

test('only functions that take a new time for each change run longer than a change may be committed late', () => {
  const longer = Object.entries({ ...workers, endpoint: endpointFunction })
    .filter(([, { timeoutSeconds }]) => timeoutSeconds >= longestBehindSeconds)
    .map(([name]) => name);
  expect(longer).toEqual(['drain-backlogs', 'read-bank-lists']);
});
