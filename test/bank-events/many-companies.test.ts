import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { connectedCompanies, keepListReading } from '#shared/bank-events/list-readings.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { registryItem } from '#shared/platform/company.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect } from './bank-events-world.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { companyOne } from '../support/bank-world.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let errors: ReturnType<typeof collectErrors>;
beforeEach(async () => {
  errors = collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true, balance: true });
  bank = await connect(world);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const idOf = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;
/** More companies, with a bank of their own or without. */
const add = async (count: number, isConnected = true): Promise<readonly string[]> => {
  const ids = Array.from({ length: count }, (_, at) => idOf(100 + at + (isConnected ? 0 : 500)));
  for (const companyId of ids) {
    await world.store.writeOne({ put: registryItem(companyId), when: { is: 'absent' } });
    if (!isConnected) continue;
    const connection = connectedItems({
      ...{
        id: companyId,
        clientId: companyId,
        companyId,
        dialect: 'EFI',
        apiUrl: 'https://bank.example',
        tokenUrl: 'https://bank.example/token',
      },
      ...{ secret: 'name', accounts: {}, createdAt: '2026-01-01T00:00:00.000Z' },
      callback: { tokenHash: companyId, subject: 'CN=bank.example' },
    });
    await world.store.write(connection, world.ids.uuid());
  }
  return ids;
};

/** A run whose time ends after so many companies, of which it reads ten concurrently. */
function timeFor(companies: number) {
  const read: string[] = [];
  const store: typeof world.store = {
    ...world.store,
    writeOne: (write) => {
      if ('put' in write && write.put['entity'] === 'BANK_LIST_READING') read.push(write.put.PK.slice(2));
      return world.store.writeOne(write);
    },
  };
  const remainingMs = (): number => (read.length < companies ? 600_000 : 1000);
  const failures: string[] = [];
  const failed = ({ companyId = '' }): void => void failures.push(companyId);
  return { read, failures, events: bank.events, run: { store, now: () => world.clock.now, remainingMs, failed } };
}

test('a run that ends early counts the companies that it did not reach, and the next ones read them first', async () => {
  await add(30);
  await add(20, false);
  const all = (await connectedCompanies(world.store)).map(({ companyId }) => companyId);
  expect(all).toHaveLength(31);
  const seen: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const { read, events, run } = timeFor(12);
    const { pending } = await workLists(run, events, 'HOURLY');
    expect(pending).toBe(31 - read.length);
    expect(pending).toBeGreaterThan(0);
    seen.push(...read);
    world.clock.now = plusSeconds(world.clock.now, 3600);
  }
  // Two runs of twenty: no company is left out by both.
  expect(new Set(seen.slice(0, 40))).toEqual(new Set(all));
});

test.each([49, 50, 99, 100])('%i other companies are found once each, with their own last readings', async (count) => {
  const all = [companyOne, ...(await add(count))];
  for (const [place, companyId] of all.entries())
    await keepListReading(
      world.store,
      { companyId, last: undefined },
      { at: plusSeconds(world.clock.now, place), isDaily: false },
    );
  await add(count, false);
  const found = await connectedCompanies(world.store);
  expect(found.map(({ companyId, last }) => [companyId, last?.readAt])).toEqual(
    all.map((companyId, place) => [companyId, plusSeconds(world.clock.now, place)]),
  );
});

test('a company that is not read to the end is pending, named, and first in the next run', async () => {
  const [slow = ''] = await add(3);
  const { events, run, failures } = timeFor(Infinity);
  const hanging = {
    ...events,
    readerOf: async (connection: BankConnection) => {
      const reader = await events.readerOf(connection);
      return connection.companyId === slow
        ? { ...reader, listReceived: () => new Promise<never>(() => undefined) }
        : reader;
    },
  };
  // Four workers ask before they begin, then the run asks how long it may wait.
  const asked = { times: 0 };
  const remainingMs = (): number => ((asked.times += 1) === 5 ? 3500 : 600_000);
  expect(await workLists({ ...run, remainingMs }, hanging, 'HOURLY')).toMatchObject({ pending: 1, failed: 0 });
  expect(failures).toEqual([slow]);
  expect((await connectedCompanies(world.store))[0]?.companyId).toBe(slow);
});

test('a bank that does not answer is not the first of every run', async () => {
  const [first = ''] = await add(2);
  const { events, run } = timeFor(Infinity);
  const silent = {
    ...events,
    readerOf: (connection: BankConnection) =>
      connection.companyId === first ? Promise.reject(new Error('No answer.')) : events.readerOf(connection),
  };
  expect(await workLists(run, silent, 'HOURLY')).toMatchObject({ failed: 1, pending: 0 });
  world.clock.now = plusSeconds(world.clock.now, 3600);
  const readAt = (await connectedCompanies(world.store)).map(({ last }) => last?.readAt);
  expect(new Set(readAt).size).toBe(1);
});

test('the reading of days is owed until it was made, whatever the hour, and once a day', async () => {
  const run = timeFor(Infinity);
  const daily = vi.spyOn(
    await bank.events.readerOf((await onlyConnection(world.store, companyOne))!),
    'listRecurringCharges',
  );
  const hour = async (): Promise<number> => {
    daily.mockClear();
    await workLists(run.run, run.events);
    world.clock.now = plusSeconds(world.clock.now, 3600);
    return daily.mock.calls.length;
  };
  bank.known.isSilent = true;
  await hour();
  bank.known.isSilent = false;
  expect(await hour()).toBe(1);
  let readings = 0;
  for (let hours = 0; hours < 24; hours += 1) readings = (await hour()) + readings;
  expect(readings).toBe(1);
  expect(errors.every(({ message }) => message === 'Cannot read a page of a list')).toBe(true);
});

test('a company whose lists the time of the run did not reach is pending, and none of its readings counts', async () => {
  let left = 600_000;
  const { events, run } = timeFor(Infinity);
  const slow = {
    ...events,
    readerOf: async (connection: BankConnection) => ({
      ...(await events.readerOf(connection)),
      listReceived: () => {
        left = 10_000;
        return Promise.resolve({ items: [], pages: 1 });
      },
    }),
  };
  expect(await workLists({ ...run, remainingMs: () => left }, slow, 'HOURLY')).toMatchObject({ pending: 1 });
  expect(await connectedCompanies(world.store)).toEqual([{ companyId: companyOne, last: undefined }]);
});

test.each([
  ['2026-01-15T07:59:59.999Z', 0],
  ['2026-01-15T08:00:00.000Z', 1],
])('at %s the daily lists are read %i times, because they are due from 05:00 in Brasilia on', async (at, readings) => {
  const day = { at: '2026-01-14T08:00:00.000Z', isDaily: true };
  await keepListReading(world.store, { companyId: companyOne, last: undefined }, day);
  world.clock.now = at;
  const { events, run } = timeFor(Infinity);
  const reader = await events.readerOf((await onlyConnection(world.store, companyOne))!);
  const daily = vi.spyOn(reader, 'listRecurringCharges');
  await workLists(run, events);
  expect(daily).toHaveBeenCalledTimes(readings);
});

test('a reading that ended later stays when one that ended before is kept after it', async () => {
  const company = { companyId: companyOne, last: undefined };
  const [before, after] = ['2026-01-15T08:00:00.000Z', '2026-01-15T08:05:00.000Z'];
  await keepListReading(world.store, company, { at: after, isDaily: true });
  await keepListReading(world.store, company, { at: before, isDaily: false });
  expect((await connectedCompanies(world.store))[0]?.last).toMatchObject({ readAt: after, dailyAt: after });
});
