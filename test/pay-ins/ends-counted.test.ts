import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { applyChargeState } from '#shared/pay-ins/apply-state.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { endWaitingSubscription } from '#shared/subscriptions/first-charge.ts';
import { companyOne } from '../support/bank-world.ts';
import { collectLines } from '../support/logged.ts';
import type { SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionWorld } from '../support/subscription-world.ts';

/** A first charge and its subscription end together, in one transaction: each new status is counted, and once. */

let world: SubscriptionWorld;
let subscriptionId: string;
let orderId: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  const created = await world.created(compositeBody());
  subscriptionId = created.id;
  orderId = created.initialCharge?.orderId ?? '';
});
afterEach(() => {
  vi.restoreAllMocks();
});

const statuses = (): readonly string[] =>
  ['PAY_IN', 'SUBSCRIPTION'].flatMap((entity) =>
    world.items(entity).map(({ status }) => `${entity} ${status as string}`),
  );
const context = () => ({
  ...{ ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' },
  alsoEnds: endWaitingSubscription,
});
const canceledAtBank = () => ({ history: [{ status: 'CANCELED', at: world.clock.now }] }) as const;

test.each<[string, () => Promise<unknown>]>([
  [
    'the time of the charge is over',
    () => {
      world.clock.now = '2026-02-15T15:00:00.000Z';
      return world.expirePayIns();
    },
  ],
  ['the bank drops the charge', () => applyChargeState(context(), orderId, { status: 'DROPPED', payments: [] })],
  ['the partner cancels the charge', () => world.cancelPayIn({ companyId: companyOne, params: { id: orderId } })],
  ['the bank ends the recurrence', () => applyRecurrenceState(context(), subscriptionId, canceledAtBank())],
  [
    'the partner withdraws the subscription',
    () =>
      world.cancel({
        ...{ companyId: companyOne, key: 'k', params: { id: subscriptionId } },
        body: { reason: 'REQUESTED_BY_RECEIVER' },
      }),
  ],
])('both are counted when %s', async (_what, end) => {
  const before = statuses();
  const lines = collectLines((line) => line['StatusReached'] !== undefined);
  await end();
  const after = statuses();
  expect(after.filter((status) => before.includes(status))).toEqual([]);
  const counted = lines.map((line) => `${line['resource'] as string} ${line['status'] as string}`);
  expect(counted.toSorted()).toEqual(after.toSorted());
});
