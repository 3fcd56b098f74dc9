import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ChargeState } from '#shared/bank/ports/charges.ts';
import { centavos } from '#shared/core/money.ts';
import { applyRecurrenceState } from '#shared/subscriptions/apply-state.ts';
import { account, companyOne, payInBody } from '#test/support/bank-world.ts';
import { each } from '#test/support/each.ts';
import { collectErrors } from '#test/support/logged.ts';
import type { SubscriptionWorld } from '#test/support/subscription-world.ts';
import { compositeBody, subscriptionWorld } from '#test/support/subscription-world.ts';

/**
 * A charge that is removed at the bank: one table of what the bank says of it, for each of the moves that remove one.
 */

let world: SubscriptionWorld;
beforeEach(async () => {
  collectErrors();
  world = subscriptionWorld();
  await world.openAccount(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const amount = 1990;
const pix = (place: number, cents: number) => ({
  ...{ endToEndId: `E6070119020260115150012345678${place}`.padEnd(32, '0'), amount: centavos(cents) },
  ...{ at: '2026-01-15T15:00:30.000Z', returns: [] },
});
const right = pix(1, amount);
const [less, more] = [pix(2, 100), pix(3, 2000)];

type Row = readonly [ChargeState['status'], ChargeState['payments'], 'ended' | 'PAID' | 'PENDING' | 'ERROR'];
const rows: readonly Row[] = [
  ['REMOVED', [], 'ended'],
  ['REMOVED', [right], 'PAID'],
  ['REMOVED', [less], 'ended'],
  ['REMOVED', [less, right], 'PAID'],
  ['REMOVED', [right, more], 'PAID'],
  ['REMOVED', [less, more], 'ended'],
  ['PAID', [right], 'PAID'],
  ['PAID', [less], 'ended'],
  ['PAID', [more, less], 'ended'],
  // Paid by what it does not name yet.
  ['PAID', [], 'PENDING'],
  ['ACTIVE', [], 'PENDING'],
  ['ACTIVE', [right], 'PAID'],
  ['ACTIVE', [less], 'PENDING'],
  ['DROPPED', [], 'ERROR'],
  ['DROPPED', [less], 'ERROR'],
  ['DROPPED', [right], 'PAID'],
];

type Move = {
  readonly ended: 'CANCELED' | 'EXPIRED';
  readonly begin: () => Promise<string>;
  remove: (id: string) => Promise<unknown>;
};
let subscriptionId: string;
const ofSubscription = async (): Promise<string> => {
  const subscription = await world.created(compositeBody());
  subscriptionId = subscription.id;
  return subscription.initialCharge?.orderId ?? '';
};
const alone = async (): Promise<string> => {
  const body = payInBody({ amount: { currency: 'BRL', value: '19.90' }, expiresInSeconds: 60 });
  const response = await world.createPayIn({ companyId: companyOne, key: 'k', body });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
};
const moves: Readonly<Record<string, Move>> = {
  'the partner cancels it': {
    ...{ ended: 'CANCELED', begin: alone },
    remove: (id) => world.cancelPayIn({ companyId: companyOne, params: { id } }),
  },
  'its time is over': {
    ...{ ended: 'EXPIRED', begin: alone },
    remove: () => {
      world.clock.now = '2026-01-15T15:01:00.000Z';
      return world.expirePayIns();
    },
  },
  'its subscription is withdrawn': {
    ...{ ended: 'CANCELED', begin: ofSubscription },
    remove: () =>
      world.cancel({
        companyId: companyOne,
        key: 'k',
        params: { id: subscriptionId },
        body: { reason: 'FRAUD_SUSPICION' },
      }),
  },
  'the bank ends its subscription': {
    ...{ ended: 'CANCELED', begin: ofSubscription },
    remove: () =>
      applyRecurrenceState(
        { ...world.deps, at: world.clock.now, companyId: companyOne, requestId: 'r' },
        subscriptionId,
        { history: [{ status: 'CANCELED', at: world.clock.now }] },
      ),
  },
};

const table = Object.keys(moves).flatMap((move) =>
  rows.map(([status, payments, end]) => [move, status, payments.map((one) => one.amount), payments, end] as const),
);

test.each(each(table))(
  'a pay-in gets its status and books each payment once when %s and the bank reports %s with payments %j',
  async (name, status, _amounts, payments, end) => {
    const { ended, begin, remove } = moves[name]!;
    const id = await begin();
    const state: ChargeState = { txid: id.replaceAll('-', ''), location: 'pix.example/x', status, payments };
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'DONE', state });
    // A repetition books nothing again.
    for (let times = 0; times < 2; times += 1) await remove(id);
    const { body } = await world.getPayIn({ companyId: companyOne, params: { id } });
    expect((body as { status: string }).status).toBe(end === 'ended' ? ended : end);
    const booked = (kind: string): unknown[] =>
      world
        .items('LEDGER_ENTRY')
        .filter((entry) => entry['kind'] === kind && entry['accountId'] === account)
        .map((entry) => entry['available'])
        .toSorted();
    const unexpected = payments.filter((one) => one !== right).map((one) => one.amount);
    expect(booked('PAY_IN')).toEqual(payments.includes(right) ? [amount] : []);
    expect(booked('UNMATCHED_CREDIT')).toEqual(unexpected.toSorted());
  },
);
