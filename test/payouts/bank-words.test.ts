import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PaymentState } from '#shared/bank/ports/payouts.ts';
import { reports } from '#shared/bank/report.ts';
import { centavos } from '#shared/core/money.ts';
import { creditUnexpected } from '#shared/credits/book.ts';
import { readReceived } from '#shared/credits/received.ts';
import type { PaymentUpdate } from '#shared/payouts/apply-state.ts';
import { applyPaymentStates } from '#shared/payouts/apply-state.ts';
import { readPayout } from '#shared/payouts/store.ts';
import type { World } from '../support/bank-world.ts';
import { account, bankWorld, companyOne, noon, payoutBody } from '../support/bank-world.ts';
import { isDue, isDueEverywhere } from '../support/due.ts';
import { collectErrors } from '../support/logged.ts';
import { e2e, rtrId } from '../bank-events/bank-events-world.ts';

/** What a bank says of a payout that has ended already, or that came back. */

const receiving = account.replace('a', 'b');
let world: World;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = bankWorld();
  await world.openAccount(100_000_00);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const create = async (more: Record<string, unknown> = {}): Promise<string> => {
  const response = await world.createPayout({ companyId: companyOne, key: 'k', body: payoutBody(more) });
  expect(response.status, response.text).toBe(201);
  return (response.body as { id: string }).id;
};
const context = () => ({ ...world.deps, companyId: companyOne, requestId: 'r', at: noon });
const order = async (id: string) => (await readPayout(world.store, companyOne, id))!;
const reportStates = async (id: string, ...events: readonly PaymentUpdate[]): Promise<void> =>
  applyPaymentStates(context(), await order(id), events);
const booked = (accountId: string) =>
  world
    .items('LEDGER_ENTRY')
    .filter((entry) => entry['accountId'] === accountId && entry['kind'] !== 'OPENING')
    .map((entry) => [entry['kind'], entry['available']]);
const balance = async (accountId: string): Promise<unknown> =>
  (await world.getBalance({ companyId: companyOne, params: { accountId } })).body;

const paid: PaymentState = { status: 'PAID', at: noon, returns: [] };
const failed: PaymentState = { status: 'ERROR', reason: 'No.', returns: [] };
const canceled: PaymentState = { status: 'CANCELED', returns: [] };
const accepted: PaymentState = { status: 'ACCEPTED', returns: [] };

test.each([
  ['PAID', 0, 'PAID', paid],
  ['PAID', 1, 'ERROR', failed],
  ['PAID', 1, 'CANCELED', canceled],
  ['PAID', 0, 'ACCEPTED', accepted],
  ['ERROR', 1, 'PAID', paid],
  ['ERROR', 0, 'CANCELED', canceled],
  ['ERROR', 0, 'ACCEPTED', accepted],
  ['CANCELED', 1, 'PAID', paid],
  ['CANCELED', 0, 'ERROR', failed],
] as const)(
  'a payout that is %s is reported %i times when its bank later reports it as %s',
  async (end, count, _name, reportedState) => {
    const id = await create();
    await world.force(id, end);
    const before = booked(account);
    await reportStates(id, { state: reportedState });
    const line = { message: reports.BankContradictions, orderId: id, said: reportedState.status };
    expect(errors).toMatchObject(Array.from({ length: count }, () => line));
    expect(booked(account)).toEqual(before);
  },
);

test('a payment of a batch is reported by its place when its bank contradicts its end', async () => {
  const id = await create({ amount: { currency: 'BRL', value: '40000.00' } });
  await reportStates(id, { sequence: 2, state: failed });
  await reportStates(id, { sequence: 1, state: paid }, { sequence: 2, state: paid });
  expect(errors).toMatchObject([{ message: reports.BankContradictions, orderId: id, sequence: '2', said: 'PAID' }]);
});

test('money of a payout that came back in part is marked and reported with what came back', async () => {
  const id = await create();
  const returns = [{ returnId: rtrId(1), amount: centavos(400), at: noon }];
  for (let times = 0; times < 2; times += 1) await reportStates(id, { state: { ...paid, returns } });
  const mark = { amount: 400, accountId: account, orderId: id };
  expect(await readReceived(world.store, companyOne, rtrId(1))).toMatchObject(mark);
  expect(errors).toMatchObject([{ message: reports.PayoutsReturnedLate, orderId: id }]);
});

test.each([
  ['ERROR', failed],
  ['CANCELED', canceled],
])('a payout that became %s gets its money back once, with any list of returns of its bank', async (_name, end) => {
  const id = await create();
  const returns = [{ returnId: rtrId(1), amount: centavos(1000), at: noon }];
  for (let times = 0; times < 2; times += 1) await reportStates(id, { state: { ...end, returns } });
  expect(await balance(account)).toMatchObject({ available: '100000.00', reserved: '0.00' });
});

test.each([
  ['together', [[1, 2, 3]]],
  ['one by one', [[3], [1], [2]]],
])(
  'a batch to another account of the company credits the payments that were not credited before when they are paid %s',
  async (_how, groups) => {
    await world.openAccount(0, { id: receiving });
    world.bank.payouts.prepare = () => Promise.resolve({});
    const id = await create({ paymentData: { pixKey: receiving }, amount: { currency: 'BRL', value: '40000.00' } });
    const money = {
      accountId: receiving,
      endToEndId: e2e(2),
      amount: centavos(15_000_00),
      reason: 'NO_CHARGE',
    } as const;
    await creditUnexpected(context(), money);
    for (const group of groups)
      await reportStates(id, ...group.map((sequence) => ({ sequence, state: { ...paid, endToEndId: e2e(sequence) } })));
    expect(await order(id)).toMatchObject({ payout: { status: 'PAID' } });
    expect(await balance(receiving)).toMatchObject({ available: '40000.00' });
  },
);

const batch = { amount: { currency: 'BRL', value: '40000.00' } };

test('a batch whose last two payments end at the same time ends with them, once', async () => {
  const id = await create(batch);
  await reportStates(id, { sequence: 1, state: paid });
  await Promise.all([reportStates(id, { sequence: 2, state: paid }), reportStates(id, { sequence: 3, state: failed })]);
  expect(await order(id)).toMatchObject({ payout: { status: 'PARTIALLY_PAID', openPayments: 0 } });
  expect(world.items('DELIVERY')).toHaveLength(1);
  expect(await balance(account)).toMatchObject({ available: '70000.00', reserved: '0.00' });
});

test('a payment of a batch that failed gives its money back once when two runs learn of it at the same time', async () => {
  const id = await create(batch);
  await Promise.all([1, 2, 3].map(() => reportStates(id, { sequence: 1, state: failed })));
  expect(await order(id)).toMatchObject({ payout: { status: 'PENDING', openPayments: 2 } });
  expect(await balance(account)).toMatchObject({ available: '75000.00', reserved: '25000.00' });
});

test.each([
  ['a polled bank', true],
  ['a bank that is not polled', false],
])('a payout that is final when it is submitted again at %s is in the list of its status', async (_which, isPolled) => {
  world.setCapabilities({ isPolled });
  const id = await create();
  world.bank.payouts.send.find = () => Promise.resolve({ outcome: 'DONE', state: paid });
  world.clock.now = '2026-01-15T15:02:00.000Z';
  expect(await world.submitPayouts()).toMatchObject({ submitted: 1 });
  const { body } = await world.listPayouts({ companyId: companyOne, query: { status: 'PAID' } });
  expect((body as { data: unknown }).data).toMatchObject([{ id }]);
  expect(world.items('PAYOUT').some((item) => isDue(item) || isDueEverywhere(item))).toBe(false);
});
