import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BankReader, ReceivedPix } from '#shared/bank/ports/reader.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import { connectionUpdate, readConnection } from '#shared/bank/connection.ts';
import { beginReceivedPoll, pollReceived } from '#shared/bank-events/received-poll.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { registryItem } from '#shared/platform/company.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { companyOne, noon, otherCompany } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { dueJobs } from '../support/due.ts';
import { collectErrors } from '../support/logged.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { chave, connect, e2e, paidAt } from './bank-events-world.ts';
import { listWorker } from './list-jobs.ts';

/** Payments to the bare key: no callback tells of them, so each connection's bank is asked every minute. */

const job = { companyId: companyOne, id: connectionId };
const far = plusSeconds(noon, 10 * 86_400);
type Listed = BankReader['listReceivedToKeys'];

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
/** Windows that the bank was asked for, as seconds since noon, once for each page. */
let asked: (readonly [from: number, to: number, page: number])[];
let listed: Listed;
beforeEach(async () => {
  collectErrors();
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  bank = await connect(world, 'read-bank-lists');
  asked = [];
  const known = (await bank.events.readerOf((await connection())!)).listReceivedToKeys;
  listed = known;
  const { readerOf } = bank.events;
  Object.assign(bank.events, {
    readerOf: async (of: Parameters<typeof readerOf>[0]): Promise<BankReader> => ({
      ...(await readerOf(of)),
      listReceivedToKeys: (from, to, page, withinMs) => {
        asked.push([secondsBetween(noon, from), secondsBetween(noon, to), page]);
        return listed(from, to, page, withinMs);
      },
    }),
  });
  await beginReceivedPoll(world.store, job, world.clock.now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const connection = () => readConnection(world.store, companyOne, connectionId);
const run = (remainingMs = Infinity) =>
  pollReceived(
    { store: bank.events.store, now: () => world.clock.real ?? world.clock.now, remainingMs: () => remainingMs },
    bank.events,
    job,
  );
const later = (seconds = 60): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
const poll = () => world.items('RECEIVED_POLL')[0];
const readTo = (): number => secondsBetween(noon, poll()?.['readTo'] as Instant);
const credits = () => world.items('CREDIT').map(({ amount, reason }) => [amount, reason]);
const dueAfter = async (seconds: number): Promise<boolean> =>
  (await dueJobs(world.store, 'RECEIVED_POLL', plusSeconds(noon, seconds))).length > 0;

describe('the poll of a connection', () => {
  test('is due as soon as it begins, and one that has begun goes on', async () => {
    expect(await dueAfter(0)).toBe(true);
    await run();
    const before = poll();
    await beginReceivedPoll(world.store, job, far);
    expect(poll()).toEqual(before);
  });

  test('credits each payment to the bare key once, and none that a charge of the company expects', async () => {
    bank.pays(1, undefined, 700);
    bank.pays(2, undefined, 800);
    bank.pays(3, undefined, 900);
    bank.pays(4, 'a'.repeat(32), 1000);
    expect(await run()).toEqual({ isFailed: false });
    later();
    await run();
    expect(credits()).toEqual([700, 800, 900].map((amount) => [amount, 'NO_CHARGE']));
    expect(world.items('RECEIVED_PIX')).toHaveLength(3);
  });

  test('reads from the end of the last window, with an overlap of two minutes, up to now', async () => {
    await run();
    later();
    await run();
    later(90);
    await run();
    expect(asked).toEqual([
      [-120, 0, 0],
      [-120, 60, 0],
      [-60, 150, 0],
    ]);
    expect(readTo()).toBe(150);
  });

  test('is due again in a minute, before its bank has answered', async () => {
    let seen: readonly boolean[] = [];
    listed = async () => {
      seen = [await dueAfter(59), await dueAfter(60)];
      return { items: [], pages: 1 };
    };
    await run();
    expect(seen).toEqual([false, true]);
    expect([await dueAfter(59), await dueAfter(60)]).toEqual([false, true]);
  });

  test('a poll asks the bank for no list before it is due', async () => {
    await run();
    later(59);
    expect(await run()).toEqual({});
    expect(asked).toHaveLength(1);
  });

  test('is done by one of two concurrent runs', async () => {
    bank.pays(1, undefined, 700);
    expect(await Promise.all([run(), run()])).toContainEqual({});
    expect(asked).toHaveLength(1);
    expect(credits()).toHaveLength(1);
  });

  test('is no job of another company or connection', async () => {
    const of = { store: bank.events.store, now: () => world.clock.now, remainingMs: () => Infinity };
    expect(await pollReceived(of, bank.events, { companyId: otherCompany, id: connectionId })).toEqual({});
    expect(await pollReceived(of, bank.events, { companyId: companyOne, id: 'unknown' })).toEqual({});
    expect(asked).toEqual([]);
  });

  test('ends with its connection, without a call of the bank', async () => {
    await world.store.writeOne(connectionUpdate((await connection())!, { endedAt: noon }));
    expect(await run()).toEqual({});
    expect([asked, poll(), await dueAfter(86_400)]).toEqual([[], undefined, false]);
    expect(await run()).toEqual({});
  });
});

describe('the window of a poll', () => {
  const fails: Listed = () => Promise.reject(new BankUnavailable('The bank did not respond in time.'));

  test('is read again, and longer, after the bank failed', async () => {
    await run();
    later();
    listed = fails;
    expect(await run()).toEqual({ isFailed: true });
    expect(readTo()).toBe(0);
    later();
    listed = () => Promise.resolve({ items: [], pages: 1 });
    expect(await run()).toEqual({ isFailed: false });
    expect(asked.at(-1)).toEqual([-120, 120, 0]);
    expect(readTo()).toBe(120);
  });

  test('is read again when one of its pages failed, and what the others have is credited', async () => {
    for (const number of [1, 2, 3, 4, 5]) bank.pays(number, undefined, 100 * number);
    const known = listed;
    listed = (from, to, page, withinMs) => (page === 1 ? fails(from, to, page) : known(from, to, page, withinMs));
    expect(await run()).toEqual({ isFailed: true });
    expect(credits().map(([amount]) => amount)).toEqual([100, 200, 500]);
    listed = known;
    later();
    await run();
    expect(credits().map(([amount]) => amount)).toEqual([100, 200, 500, 300, 400]);
    expect(asked.find(([, to]) => to === 60)).toEqual([-120, 60, 0]);
  });

  test('is left for the next run, which does not count as failed, when the time of a run is over', async () => {
    bank.pays(1, undefined, 700);
    expect(await run(10_000)).toEqual({ isFailed: false });
    expect([asked, credits()]).toEqual([[], []]);
    later();
    await run();
    expect(asked).toEqual([[-120, 60, 0]]);
    expect(credits()).toHaveLength(1);
  });

  test('begins two minutes ago when the clock of the company was turned back behind the last one', async () => {
    later(86_400);
    await run();
    // Real time goes on.
    world.clock.real = plusSeconds(world.clock.now, 60);
    world.clock.now = noon;
    await run();
    expect(asked.at(-1)).toEqual([-120, 0, 0]);
    expect(readTo()).toBe(0);
    world.clock.real = plusSeconds(world.clock.real, 60);
    world.clock.now = plusSeconds(noon, 60);
    await run();
    expect(asked.at(-1)).toEqual([-120, 60, 0]);
  });

  describe('of sixty pages, when the time of a run is over after three,', () => {
    const pages = 60;
    let left: number;
    beforeEach(() => {
      const payments = Array.from({ length: 2 * pages }, (_, number): ReceivedPix => {
        return { endToEndId: e2e(number), amount: centavos(100 + number), at: paidAt, returns: [], chave };
      });
      left = Infinity;
      listed = (_from, _to, page) => {
        left -= 10_000;
        return Promise.resolve({ items: payments.slice(page * 2, page * 2 + 2), pages });
      };
    });
    /** A run that has time for three pages. */
    const shortRun = () => {
      left = 40_000;
      return pollReceived(
        { store: bank.events.store, now: () => world.clock.now, remainingMs: () => left },
        bank.events,
        job,
      );
    };

    test('goes on in the next run with the page that was not read, to the same end', async () => {
      expect(await shortRun()).toEqual({ isFailed: false });
      later();
      await shortRun();
      expect(asked).toEqual([0, 1, 2, 3, 4, 5].map((page) => [-120, 0, page]));
      expect([credits().length, readTo()]).toEqual([12, 0]);
    });

    test('is credited whole by a few runs, after which the next window follows', async () => {
      for (let runs = 0; runs < pages / 3; runs += 1) {
        expect(await shortRun()).toEqual({ isFailed: false });
        later();
      }
      expect(new Set(credits().map(([amount]) => amount)).size).toBe(2 * pages);
      expect(asked).toHaveLength(pages);
      listed = () => Promise.resolve({ items: [], pages: 1 });
      await run();
      expect(asked.at(-1)).toEqual([-120, 900, 0]);
    });

    test('is read from its first page when the clock of the company was turned back meanwhile', async () => {
      later(600);
      await shortRun();
      world.clock.real = plusSeconds(world.clock.now, 60);
      world.clock.now = plusSeconds(noon, 300);
      listed = () => Promise.resolve({ items: [], pages: 1 });
      await run();
      expect(asked.at(-1)).toEqual([-120, 300, 0]);
    });
  });

  test('is read at once by one run when it has many pages and the time is long enough', async () => {
    listed = () => Promise.resolve({ items: [], pages: 60 });
    await run();
    expect(asked.map(([, , page]) => page)).toEqual(Array.from({ length: 60 }, (_, page) => page));
    expect(await dueAfter(59)).toBe(false);
  });

  test('is at most fifteen minutes after an outage, and the others follow each minute', async () => {
    later(3600);
    for (let runs = 0; runs < 5; runs += 1) {
      await run();
      later();
    }
    expect(asked.map(([from, to]) => [from, to])).toEqual([
      [-120, 900],
      [780, 1800],
      [1680, 2700],
      [2580, 3600],
      [3480, 3840],
    ]);
  });

  test('ends, and counts as failed, when one of its payments cannot be credited', async () => {
    await world.store.writeOne({
      put: { ...keys.claimedPix(e2e(1)), entity: 'BANK_PIX', companyId: otherCompany },
    });
    bank.pays(1, undefined, 700);
    bank.pays(2, undefined, 800);
    expect(await run()).toEqual({ isFailed: true });
    expect(credits()).toEqual([[800, 'NO_CHARGE']]);
    later(600);
    bank.pays(3, undefined, 900);
    await run();
    expect(credits().map(([amount]) => amount)).toEqual([800, 900]);
    expect(readTo()).toBe(600);
  });
});

describe('the worker of the lists', () => {
  test('polls each minute a connection that an earlier release made, from its next hourly reading on', async () => {
    await world.store.writeOne({ put: registryItem(companyOne) });
    await world.store.write([{ delete: keys.receivedPoll(companyOne, connectionId) }], world.ids.uuid());
    const { random: _random, ...dueRun } = world.dueRun;
    const worker = listWorker({ ...dueRun, store: bank.events.store }, bank.events, world.clock);
    world.clock.now = plusSeconds(noon, 5 * 60);
    await worker.minutes(8);
    const polls = worker.done.filter((one) => one === `RECEIVED_POLL ${companyOne}`);
    expect(polls.length).toBeGreaterThanOrEqual(4);
    bank.pays(1, undefined, 700);
    await worker.minutes(1);
    expect(credits()).toEqual([[700, 'NO_CHARGE']]);
    expect(worker.sum).toMatchObject({ failed: 0, missed: 0 });
    expect(worker.sum.lateSeconds).toBeLessThanOrEqual(60);
  });
});
