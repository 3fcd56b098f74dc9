import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { checkBalance } from '#shared/bank-events/balance.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { companyOne, payoutBody } from '../support/bank-world.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect, e2e, paidAt, readLists, rtrId } from './bank-events-world.ts';
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
async function pays(amount: number, delivery: 'HEARD' | 'NOT_YET'): Promise<void> {
  count += 1;
  const events = bank.pays(count, undefined, amount);
  bank.known.balance += amount;
  if (delivery === 'HEARD') await bank.hear(events);
}

/** A payout that the bank carries out and reports. */
async function sends(amount: number): Promise<void> {
  count += 1;
  const { body } = await world.createPayout({
    companyId: companyOne,
    body: payoutBody({
      amount: { currency: 'BRL', value: (amount / 100).toFixed(2) },
    }),
    key: `k${count}`,
  });
  const { id, endToEndId } = body as { id: string; endToEndId: string };
  const reference = id.replaceAll('-', '');
  const state = {
    status: 'PAID',
    at: paidAt,
    endToEndId,
    returns: [],
  } as const;
  bank.known.sent.set(reference, {
    reference,
    endToEndId,
    amount: centavos(amount),
    state,
  });
  bank.known.balance -= amount;
  await bank.hear({ kind: 'PAYOUT', idEnvio: reference });
}

/** Compares while `meanwhile` happens between any two readings of the entries, before the bank answers or after. */
async function compare(
  meanwhile: (place: 'BEFORE' | 'AFTER', reading: number) => Promise<void>,
  more: (reader: BankReader) => Partial<BankReader> = () => ({}),
) {
  let readings = 0;
  const events: typeof bank.events = {
    ...bank.events,
    readerOf: async (companyId) => {
      const reader = await bank.events.readerOf(companyId);
      return {
        ...reader,
        ...more(reader),
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
  const context = (await bankEventContext(events, companyOne, connectionId))!;
  const { readAt } = await readLists(context, 'DAILY');
  return { checked: await checkBalance([{ context, readAt }]), readings };
}

const readErrorMessages = () =>
  errors.map(({ message }) => message).filter((message) => /balance/iu.test(String(message)));
/** Money in both directions at every place. */
const traffic = async (place: string): Promise<void> => {
  await pays(300, 'HEARD');
  if (place === 'AFTER') await sends(500);
};

test('money that is blocked is at the bank', async () => {
  const [first] = world.items('BALANCE');
  const available = first?.['available'];
  if (first === undefined || typeof available !== 'number') throw new Error('There is no balance.');
  await world.store.writeOne({ put: { ...first, available: available - 40_000_000, blocked: 40_000_000 } });
  expect((await compare(() => Promise.resolve())).checked).toBe(0);
});

test('a company whose money moves at every reading is compared', async () => {
  expect((await compare(traffic)).checked).toBe(0);
  expect(readErrorMessages()).toEqual([]);
});

test.each([-1_000_000, 1_000_000])(
  'a difference of %s centavos at the bank is found while money moves',
  async (missing) => {
    bank.known.balance += missing;
    const { checked } = await compare(traffic);
    // What moved within a reading may hide so much.
    expect(Math.abs((checked ?? 0) - missing)).toBeLessThanOrEqual(1200);
    expect(readErrorMessages()).toEqual(['Balance at the bank differs from the ledger entries']);
  },
);

test('a balance is not compared when too much money moves, which is reported with the company', async () => {
  const { checked } = await compare(async () => pays(30_000_000, 'HEARD'));
  expect(checked).toBeUndefined();
  expect(readErrorMessages()).toEqual(['Cannot compare the balance at the bank: too much money moved']);
  expect(errors.find(({ message }) => String(message).includes('Cannot compare'))).toMatchObject({
    companyId: companyOne,
  });
});

test('one quiet reading among busy ones is enough', async () => {
  const { checked } = await compare((_place, reading) => (reading < 5 ? pays(30_000_000, 'HEARD') : Promise.resolve()));
  expect(checked).toBe(0);
  expect(readErrorMessages()).toEqual([]);
});

test('a payment that no callback has reported yet is no difference', async () => {
  const { checked } = await compare((place) => (place === 'BEFORE' ? pays(700, 'NOT_YET') : Promise.resolve()));
  expect(checked).toBe(0);
  expect(readErrorMessages()).toEqual([]);
});

test('a difference that heavy traffic hides in single readings is found over several readings', async () => {
  bank.known.balance -= 2000;
  const { checked, readings } = await compare((place, reading) =>
    place === (reading % 2 === 0 ? 'BEFORE' : 'AFTER') ? pays(5_000_000, 'HEARD') : Promise.resolve(),
  );
  expect(readings).toBeGreaterThan(1);
  expect(checked).toBe(-2000);
});

test.each([
  ['is still at the bank', 0, 0],
  ['has left the bank', -10_000_000, 0],
  ['is still at the bank, which has one centavo too many', 1, 1],
  ['has left the bank with one centavo too many', -10_000_001, -1],
])('the amount of a pending payout is no difference when it %s', async (_where, moved, difference) => {
  const body = payoutBody({
    amount: { currency: 'BRL', value: '100000.00' },
  });
  expect((await world.createPayout({ companyId: companyOne, body, key: 'open' })).status).toBe(201);
  bank.known.balance += moved;
  const { checked } = await compare(() => Promise.resolve());
  expect(checked).toBe(difference);
});

const quiet = (): Promise<void> => Promise.resolve();
/** Counts the listings of what came in, and when each began. */
function listings(items: (listing: number) => 'LISTED' | 'NOT_YET' = () => 'LISTED') {
  const from: string[] = [];
  const lists = ({ listReceived }: BankReader): Partial<BankReader> => ({
    listReceived: (since, ...more) => {
      from.push(since);
      return items(from.length) === 'LISTED' ? listReceived(since, ...more) : Promise.resolve({ items: [], pages: 1 });
    },
  });
  return { from, lists };
}

test('a company whose money is all booked costs no list beside those that were read', async () => {
  const { from, lists } = listings();
  expect((await compare(quiet, lists)).checked).toBe(0);
  expect(from).toHaveLength(1);
});

test('money that its bank lists only at the second time is no difference, and is looked for from two minutes before', async () => {
  await pays(700, 'NOT_YET');
  const { from, lists } = listings((listing) => (listing <= 2 ? 'NOT_YET' : 'LISTED'));
  expect((await compare(quiet, lists)).checked).toBe(0);
  expect(readErrorMessages()).toEqual([]);
  expect(from.slice(1)).toEqual([1, 2].map(() => plusSeconds(world.clock.now, -120)));
});

test('money that is booked under a time of a minute before is no difference', async () => {
  const { now } = world.clock;
  const { checked } = await compare(async (place) => {
    if (place === 'AFTER') return;
    world.clock.now = plusSeconds(now, -60);
    await pays(700, 'HEARD');
    world.clock.now = now;
  });
  expect(checked).toBe(0);
});

test('a payout that its bank sends while the balance is read is no difference', async () => {
  const { checked } = await compare(async (place, reading) => {
    if (place === 'AFTER') return;
    const body = payoutBody({ amount: { currency: 'BRL', value: '3.00' } });
    expect((await world.createPayout({ companyId: companyOne, body, key: `sent-${reading}` })).status).toBe(201);
    bank.known.balance -= 300;
  });
  expect(checked).toBe(0);
});

test('money released by a failed payout does not hide an excess at the bank', async () => {
  const body = payoutBody({ amount: { currency: 'BRL', value: '50.00' } });
  const { id } = (await world.createPayout({ companyId: companyOne, body, key: 'open' })).body as { id: string };
  bank.known.balance += 1000;
  const { checked } = await compare(async (place, reading) => {
    if (place === 'BEFORE' && reading === 1) await world.forceOrder(id, 'ERROR');
  });
  expect(checked).toBe(1000);
});

test('money that was stored without a connection id counts for the only connection', async () => {
  const { endToEndId, amount } = { endToEndId: e2e(90), amount: 900 };
  const unplaced = {
    ...keys.unplacedCredit(companyOne, endToEndId),
    entity: 'UNPLACED_CREDIT',
    endToEndId,
  };
  const returned = {
    ...keys.unsolicitedReturn(companyOne, rtrId(1)),
    entity: 'FOREIGN_RETURN',
    returnId: rtrId(1),
  };
  await world.store.writeOne({ put: { ...unplaced, amount, at: paidAt } });
  await world.store.writeOne({
    put: { ...returned, endToEndId: e2e(1), amount: 200, at: paidAt },
  });
  bank.known.balance += 900 - 200;
  expect((await compare(quiet)).checked).toBe(0);
});

test('the later readings of a comparison list only what the bank may have listed since the ones before', async () => {
  const froms: string[] = [];
  const begin = world.clock.now;
  await compare(
    (place) => {
      if (place === 'BEFORE') world.clock.now = plusSeconds(world.clock.now, 30);
      // Money that no entry has: every comparison differs, and the later ones apply the lists.
      bank.known.balance += 1000;
      return Promise.resolve();
    },
    (reader) => ({
      listReceived: (from, to, page) => {
        froms.push(from);
        return reader.listReceived(from, to, page);
      },
    }),
  );
  // The first is that of the reading, the second reaches back to it.
  const [, second, third] = froms;
  expect(second).toBe(plusSeconds(begin, -120));
  expect(third! > second!).toBe(true);
});
