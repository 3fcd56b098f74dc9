import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BankReader } from '#shared/bank/ports/reader.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { ConnectedCompany, Extent } from '#shared/bank-events/list-readings.ts';
import { beginReading, connectedCompanies, readReading } from '#shared/bank-events/list-readings.ts';
import { beginReadings } from '#shared/bank-events/work-lists.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { registryItem } from '#shared/platform/company.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { connect } from './bank-events-world.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { companyOne } from '../support/bank-world.ts';
import { connectedItems, connectionId, onlyConnection } from '../support/connected-items.ts';
import { listWorker } from './list-jobs.ts';

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

const found = async (): Promise<readonly ConnectedCompany[]> => {
  const all: ConnectedCompany[] = [];
  for await (const company of connectedCompanies(world.store)) all.push(company);
  return all;
};
const completeAt = async (companyId: string, extent: Extent): Promise<string | undefined> =>
  (await readReading(world.store, companyId, extent))?.completeAt;
/** A run without an end. `failed` collects the companies. */
function endless() {
  const failures: string[] = [];
  const failed = ({ companyId = '' }): void => void failures.push(companyId);
  return { failures, run: { store: world.store, remainingMs: () => 600_000, failed } };
}
/** The dependencies when the bank of a company has another reader. */
const where = (companyId: string, lists: Partial<BankReader>) => ({
  ...bank.events,
  readerOf: async (connection: BankConnection) => ({
    ...(await bank.events.readerOf(connection)),
    ...(connection.companyId === companyId && lists),
  }),
});

test.each([32, 33, 65, 66])('%i other companies are found once each, with their own last readings', async (count) => {
  const all = [...(await add(count)), companyOne];
  for (const [place, companyId] of all.entries()) {
    const startedAt = plusSeconds(world.clock.now, place);
    await beginReading(world.store, companyId, { extent: 'DAILY', startedAt, seconds: 1, before: undefined });
  }
  await add(count, false);
  expect((await found()).map(({ companyId, last }) => [companyId, last('DAILY')?.startedAt])).toEqual(
    all.map((companyId, place) => [companyId, plusSeconds(world.clock.now, place)]),
  );
});

test('five hundred companies are read in the minutes after a reading begins, each list once', async () => {
  const all = [companyOne, ...(await add(499))];
  world.clock.now = '2026-01-15T15:07:00.000Z';
  const worker = listWorker(endless().run, bank.events, world.clock);
  await worker.minutes(8);
  for (const companyId of all) {
    expect(await completeAt(companyId, 'HOURLY'), companyId).toBe('2026-01-15T15:07:00.000Z');
    expect(await completeAt(companyId, 'DAILY'), companyId).toBe('2026-01-15T15:07:00.000Z');
  }
  expect(worker.done.filter((job) => job.startsWith('BANK_LIST'))).toHaveLength(8 * all.length);
  expect(worker.sum.failed).toBe(0);
});

test('a company whose bank hangs is late and named, and delays no other', async () => {
  const [slow = '', ...others] = await add(12);
  world.clock.now = '2026-01-15T15:07:00.000Z';
  const { run, failures } = endless();
  const hangs = where(slow, { listReceived: () => new Promise<never>(() => undefined) });
  const worker = listWorker(run, hangs, world.clock, { batchMs: 3200 });
  await worker.minutes(6);
  expect(await Promise.all(others.map((companyId) => completeAt(companyId, 'HOURLY')))).not.toContain(undefined);
  expect(await completeAt(slow, 'HOURLY')).toBeUndefined();
  expect(new Set(failures)).toEqual(new Set([slow]));
  expect(worker.sum.lateSeconds).toBe(5 * 60);
});

test('a bank that does not answer is read every five minutes until the next reading begins, which has its window', async () => {
  world.clock.now = '2026-01-15T15:07:00.000Z';
  const froms: string[] = [];
  const listed = where(companyOne, {
    listReceived: async (from, to, page) => {
      froms.push(from);
      return (await bank.events.readerOf((await onlyConnection(world.store, companyOne))!)).listReceived(
        from,
        to,
        page,
      );
    },
  });
  const worker = listWorker(endless().run, listed, world.clock);
  await worker.minutes(5);
  bank.known.isSilent = true;
  await worker.minutes(75);
  const first = bank.known.calls;
  await worker.minutes(20);
  // Beside the payments to bare keys, which are asked for each minute.
  expect(bank.known.calls - first).toBe(4 * 3 + 20);
  await worker.minutes(15);
  expect(await readReading(world.store, companyOne, 'HOURLY')).toMatchObject({
    ...{ startedAt: '2026-01-15T16:07:00.000Z', unread: [connectionId, connectionId], endedAt: expect.anything() },
  });
  bank.known.isSilent = false;
  await worker.minutes(20);
  expect(await completeAt(companyOne, 'HOURLY')).toBe('2026-01-15T17:07:00.000Z');
  // An hour more than usual: the one that was given up.
  expect(froms.at(-1)).toBe('2026-01-15T13:07:00.000Z');
  expect(errors.every(({ message }) => message === 'Cannot read a page of a list')).toBe(true);
});

test('the reading of days is owed until it was made, whatever the hour, and once a day', async () => {
  world.clock.now = '2026-01-15T15:07:00.000Z';
  const asked: string[] = [];
  const counted = where(companyOne, {
    listRecurringCharges: () => {
      asked.push(world.clock.now);
      return Promise.resolve({ items: [], pages: 1 });
    },
  });
  const worker = listWorker(endless().run, counted, world.clock);
  await worker.minutes(48 * 60);
  expect(asked.map((at) => at.slice(0, 16))).toEqual(['2026-01-15T15:07', '2026-01-16T08:07', '2026-01-17T08:07']);
});

test('a slice whose time ends is read on from its page, without a page read twice', async () => {
  const pages: string[] = [];
  let budget = 0;
  const long = where(companyOne, {
    listReceived: (from, _to, page) => {
      budget -= 1;
      pages.push(`${from} ${page}`);
      return Promise.resolve({ items: [], pages: 9 });
    },
  });
  world.clock.now = '2026-01-15T15:07:00.000Z';
  const remainingMs = (): number => (budget > 0 ? 600_000 : 10_000);
  const worker = listWorker({ ...endless().run, remainingMs }, long, world.clock);
  for (let minute = 0; minute < 9; minute += 1) {
    budget = 4;
    await worker.minutes(1);
  }
  const days = ['2026-01-12T15:07:00.000Z', '2026-01-15T12:07:00.000Z'];
  const all = days.flatMap((from) => Array.from({ length: 9 }, (_, page) => `${from} ${page}`));
  expect(pages.toSorted()).toEqual(all);
});

test.each([
  ['2026-01-15T07:59:59.999Z', undefined],
  ['2026-01-15T08:00:00.000Z', '2026-01-15T08:00:00.000Z'],
])('at %s the daily reading that begins is %s, because it is owed from 05:00 in Brasilia on', async (at, begun) => {
  const [startedAt, daily] = [
    '2026-01-14T08:00:00.000Z',
    { ...keys.bankReading(companyOne, 'DAILY'), entity: 'BANK_READING' },
  ];
  const last = {
    extent: 'DAILY',
    startedAt,
    round: 0,
    seconds: 1,
    unread: [],
    endedAt: startedAt,
    completeAt: startedAt,
  };
  await world.store.writeOne({ put: { ...daily, ...last, version: 1 } });
  world.clock.now = at;
  const run = { ...endless().run, now: () => world.clock.now };
  const send = (): Promise<void> => Promise.resolve();
  await beginReadings(run, send);
  await beginReadings(run, send);
  const { startedAt: latest, version } = (await readReading(world.store, companyOne, 'DAILY'))!;
  expect([latest, version]).toEqual(begun === undefined ? [startedAt, 1] : [begun, 2]);
});

test('a reading that two runs begin is begun by one of them', async () => {
  const begun = { extent: 'HOURLY', startedAt: world.clock.now, seconds: 1, before: undefined } as const;
  expect(await beginReading(world.store, companyOne, begun)).toMatchObject({ kind: 'BANK_READING' });
  expect(await beginReading(world.store, companyOne, begun)).toBeUndefined();
});
