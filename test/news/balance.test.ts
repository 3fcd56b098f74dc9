import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import { checkBalance } from '#shared/news/balance.ts';
import { newsContext } from '#shared/news/context.ts';
import { readLists } from '#shared/news/lists.ts';
import { companyOne, payoutBody } from '../support/bank-world.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect, paidAt } from './news-world.ts';
import { connectionId } from '../support/connected-items.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
let count = 0;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  bank = await connect(world);
  count = 0;
  await pays(50_000_000, 'HEARD');
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Money that comes in at the bank. */
async function pays(amount: number, heard: 'HEARD' | 'NOT_YET'): Promise<void> {
  count += 1;
  const news = bank.pays(count, undefined, amount);
  bank.known.balance += amount;
  if (heard === 'HEARD') await bank.hear(news);
}

/** A payout that the bank carries out and that is heard of. */
async function sends(amount: number): Promise<void> {
  count += 1;
  const { body } = await world.createPayout({
    companyId: companyOne,
    body: payoutBody({ amount: { currency: 'BRL', value: (amount / 100).toFixed(2) } }),
    key: `k${count}`,
  });
  const { id, endToEndId } = body as { id: string; endToEndId: string };
  const reference = id.replaceAll('-', '');
  const state = { status: 'PAID', at: paidAt, endToEndId, returns: [] } as const;
  bank.known.sent.set(reference, { reference, endToEndId, amount: centavos(amount), state });
  bank.known.balance -= amount;
  await bank.hear({ kind: 'PAYOUT', idEnvio: reference });
}

/** Compares while `meanwhile` happens between any two readings of the entries, before the bank answers or after. */
async function compare(meanwhile: (place: 'BEFORE' | 'AFTER', reading: number) => Promise<void>) {
  let readings = 0;
  const news: typeof bank.news = {
    ...bank.news,
    readerOf: async (companyId) => {
      const reader = await bank.news.readerOf(companyId);
      return {
        ...reader,
        balance: async () => {
          readings += 1;
          await meanwhile('BEFORE', readings);
          const found = await reader.balance();
          await meanwhile('AFTER', readings);
          return found;
        },
      };
    },
  };
  const context = (await newsContext(news, companyOne, connectionId))!;
  const lists = await readLists(context, 'DAILY');
  return { checked: await checkBalance([{ context, lists }]), readings };
}

const told = () => errors.map(({ message }) => message).filter((message) => String(message).includes('balance'));
/** Money in both directions at every place. */
const traffic = async (place: string): Promise<void> => {
  await pays(300, 'HEARD');
  if (place === 'AFTER') await sends(500);
};

test('a company whose money moves at every reading is compared', async () => {
  expect((await compare(traffic)).checked).toEqual({ difference: 0, candidates: [] });
  expect(told()).toEqual([]);
});

test.each([-1_000_000, 1_000_000])('%s centavos at the bank are found although money moves', async (missing) => {
  bank.known.balance += missing;
  const { checked } = await compare(traffic);
  // What moved within a reading may hide so much.
  expect(Math.abs((checked?.difference ?? 0) - missing)).toBeLessThanOrEqual(1200);
  expect(told()).toEqual(["the bank's balance differs from the entries"]);
});

test('money that moves as fast as there is some of it is not compared, which is reported with the company', async () => {
  const { checked } = await compare(async () => pays(30_000_000, 'HEARD'));
  expect(checked).toBeUndefined();
  expect(told()).toEqual(["the bank's balance was not compared: too much moved"]);
  expect(errors.find(({ message }) => String(message).includes('not compared'))).toMatchObject({
    companyId: companyOne,
  });
});

test('one quiet reading among busy ones is enough', async () => {
  const { checked } = await compare((_place, reading) => (reading < 5 ? pays(30_000_000, 'HEARD') : Promise.resolve()));
  expect(checked).toEqual({ difference: 0, candidates: [] });
  expect(told()).toEqual([]);
});

test('what the bank has and no callback brought yet is heard, and no difference', async () => {
  const { checked } = await compare((place) => (place === 'BEFORE' ? pays(700, 'NOT_YET') : Promise.resolve()));
  expect(checked).toEqual({ difference: 0, candidates: [] });
  expect(told()).toEqual([]);
});

test('a difference that readings of much traffic hide one by one is found by several', async () => {
  bank.known.balance -= 2000;
  const { checked, readings } = await compare((place, reading) =>
    place === (reading % 2 === 0 ? 'BEFORE' : 'AFTER') ? pays(5_000_000, 'HEARD') : Promise.resolve(),
  );
  expect(readings).toBeGreaterThan(1);
  expect(checked?.difference).toBe(-2000);
});

test.each([
  ['is still there', 0, 0],
  ['has left', -10_000_000, 0],
  ['is still there, with more than it should be', 1, 1],
  ['has left, with more', -10_000_001, -1],
])('money of payouts that are under way is no difference: it %s', async (_where, moved, difference) => {
  const body = payoutBody({ amount: { currency: 'BRL', value: '100000.00' } });
  expect((await world.createPayout({ companyId: companyOne, body, key: 'open' })).status).toBe(201);
  bank.known.balance += moved;
  const { checked } = await compare(() => Promise.resolve());
  expect(checked).toEqual({ difference, candidates: [] });
});
