import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BankReader, ReceivedPix } from '#shared/bank/ports/reader.ts';
import { readReading, slicesOf } from '#shared/bank-events/list-readings.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { chances } from '../model/virtual-time.ts';
import { companyOne } from '../support/bank-world.ts';
import { faultyStore } from '../support/faulty-store.ts';
import type { Fault } from '../support/faulty-store.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { chave, connect, e2e } from './bank-events-world.ts';
import { listWorker } from './list-jobs.ts';

/** Of a slice at most. */
const pagesOfSlice = 50;
const begin = '2026-01-15T15:07:00.000Z';
let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
const fresh = async (): Promise<void> => {
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  bank = await connect(world, 'read-bank-lists');
  world.clock.now = begin;
};
beforeEach(async () => {
  collectErrors();
  await fresh();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Payments to the company, one each so many seconds up to the begin. */
const payments = (count: number, everySeconds: number): readonly ReceivedPix[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ endToEndId: e2e(at), amount: centavos(100 + at), returns: [], chave },
    at: plusSeconds(begin, -everySeconds * (at + 1)),
  }));

/** A bank whose windows hold neither of their ends. `asked`: its pages. */
function listing(all: readonly ReceivedPix[], size: number) {
  const asked: { readonly from: string; readonly to: string; readonly page: number }[] = [];
  const listReceived: BankReader['listReceived'] = (from, to, page) => {
    asked.push({ from, to, page });
    const found = all.filter(({ at }) => from < at && at < to);
    return Promise.resolve({
      items: found.slice(page * size, page * size + size),
      pages: Math.max(1, Math.ceil(found.length / size)),
    });
  };
  return { asked, lists: { listReceived } };
}

const workerOver = (lists: Partial<BankReader>, options: Parameters<typeof listWorker>[3] = {}, store?: Store) => {
  const run = { store: store ?? bank.events.store, remainingMs: () => 600_000, failed: () => undefined };
  const readerOf: typeof bank.events.readerOf = async (connection) => ({
    ...(await bank.events.readerOf(connection)),
    ...lists,
  });
  return listWorker(run, { ...bank.events, store: run.store, readerOf }, world.clock, options);
};
const credited = (): readonly string[] =>
  world
    .items('LEDGER_ENTRY')
    .filter(({ kind }) => kind === 'UNMATCHED_CREDIT')
    .map(({ available }) => JSON.stringify(available))
    .toSorted();
const amountsOf = (all: readonly ReceivedPix[]): readonly string[] =>
  all.map(({ amount }) => JSON.stringify(amount)).toSorted();

test('a window with many pages is read in slices of few pages, each payment once, in the minute after it begins', async () => {
  const all = payments(1500, 7);
  const { asked, lists } = listing(all, 2);
  const worker = workerOver(lists);
  await worker.minutes(3);
  expect(credited()).toEqual(amountsOf(all));
  // The hourly and the daily windows are asked for their first pages before they are split.
  const read = Map.groupBy(asked, ({ from, to }) => `${from} ${to}`);
  const pages = [...read.values()].map(({ length }) => length);
  expect(Math.max(...pages)).toBeLessThanOrEqual(pagesOfSlice);
  expect(asked.length).toBeLessThan(2.2 * 750);
  expect(await slicesOf(world.store, companyOne, 'HOURLY')).toEqual([]);
  expect(await readReading(world.store, companyOne, 'HOURLY')).toMatchObject({ unread: [], completeAt: begin });
});

test('a payment on the border of two slices is read, whether windows hold their ends or not', async () => {
  const all = payments(900, 12);
  const { asked, lists } = listing(all, 1);
  await workerOver(lists).minutes(3);
  const ends = new Set(asked.map(({ to }) => to));
  expect(all.filter(({ at }) => ends.has(at)).length).toBeGreaterThan(2);
  expect(credited()).toEqual(amountsOf(all));
});

test('messages that are lost or come twice lose no payment and book none twice', async () => {
  const random = chances(11);
  const all = payments(400, 25);
  const worker = workerOver(listing(all, 2).lists, { copies: () => Math.floor(3 * random()) });
  await worker.minutes(30);
  expect(credited()).toEqual(amountsOf(all));
  expect(await readReading(world.store, companyOne, 'DAILY')).toMatchObject({ unread: [], completeAt: begin });
});

test('a process that dies after any call to the table loses no payment, and the reading ends complete', async () => {
  const all = payments(pagesOfSlice + 4, 190);
  let calls = 0;
  const die = async (at: number, fault: Fault): Promise<void> => {
    await fresh();
    calls = 0;
    let isDead = false;
    const nextFault = (): Fault => {
      if (isDead) return 'before';
      calls += 1;
      isDead = calls === at;
      return isDead ? fault : 'none';
    };
    const worker = workerOver(listing(all, 1).lists, {}, faultyStore(bank.events.store, { nextFault }));
    const isComplete = async () =>
      (await readReading(world.store, companyOne, 'HOURLY'))?.completeAt !== undefined &&
      (await readReading(world.store, companyOne, 'DAILY'))?.completeAt !== undefined;
    for (let minute = 0; minute < 20 && !(await isComplete()); minute += 1) {
      isDead = false;
      await worker.minutes(1).catch(() => undefined);
      world.clock.now = plusSeconds(begin, 60 * (minute + 1));
    }
    expect(credited(), `call ${at} ${fault}`).toEqual(amountsOf(all));
    for (const extent of ['HOURLY', 'DAILY'] as const)
      expect(await readReading(world.store, companyOne, extent), `call ${at} ${fault}`).toMatchObject({
        ...{ unread: [], endedAt: expect.anything(), completeAt: expect.anything() },
      });
  };
  await die(0, 'none');
  const total = calls;
  expect(total).toBeGreaterThan(100);
  for (let at = 1; at <= total; at += at < 20 || at > total - 20 ? 1 : 41)
    await die(at, at % 2 === 0 ? 'before' : 'after');
});

test('a daily reading that took long reads what came meanwhile before it compares the balances', async () => {
  const { asked, lists } = listing([], 2);
  const isAsked: string[] = [];
  const balance = () => {
    isAsked.push(world.clock.now);
    return Promise.resolve(centavos(0));
  };
  let isSilent = true;
  const listSent: BankReader['listSent'] = () =>
    isSilent ? Promise.reject(new Error('No answer.')) : Promise.resolve({ items: [], pages: 1 });
  const worker = workerOver({ ...lists, listSent, balance });
  await worker.minutes(20);
  isSilent = false;
  const before = asked.length;
  expect(isAsked).toEqual([]);
  await worker.minutes(10);
  const [again] = asked.slice(before);
  // The twenty minutes, as far as slices are read again every five minutes, and two for payments that are listed late.
  expect(secondsBetween(again?.from ?? '', again?.to ?? '')).toBeGreaterThan(20 * 60);
  expect(secondsBetween(again?.from ?? '', again?.to ?? '')).toBeLessThan(30 * 60);
  expect(isAsked.length).toBeGreaterThan(0);
  expect(isAsked[0]! >= (again?.to ?? '')).toBe(true);
});
