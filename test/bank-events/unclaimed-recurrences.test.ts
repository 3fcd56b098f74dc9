import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recurrenceLocations } from '#shared/bank/recurrence-locations.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { workLists } from '#shared/bank-events/work-lists.ts';
import { companyOne } from '../support/bank-world.ts';
import type { PaymentWorld } from '../support/payment-world.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { subscriptionBody } from '../support/subscription-world.ts';
import { connect } from './bank-events-world.ts';
import { connectionId } from '../support/connected-items.ts';

let world: PaymentWorld;
let bank: Awaited<ReturnType<typeof connect>>;
let canceled: string[];
beforeEach(async () => {
  world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  bank = await connect(world, 'read-bank-lists');
  canceled = [];
  world.bank.recurrences.cancel = {
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
    submit: ({ recurrenceId }) => {
      canceled.push(recurrenceId);
      const history = [{ status: 'CANCELED', at: world.clock.now }] as const;
      bank.known.recurrences.set(recurrenceId, { ...bank.known.recurrences.get(recurrenceId)!, history });
      return Promise.resolve({ outcome: 'DONE', state: { history } });
    },
  };
});
afterEach(() => {
  vi.restoreAllMocks();
});

const idRec = (letter: string): string => `RN9999900420260115${letter.repeat(11)}`;
const memory = () => recurrenceLocations(world.store, { companyId: companyOne, id: connectionId });
const run = async (isDaily = false) => {
  const due = { ...world.dueRun, store: world.store, now: world.deps.now };
  const { counts, failed } = await workLists(due, bank.events, isDaily ? 'DAILY' : 'HOURLY');
  return { failed, unclaimed: counts.RecurrencesUnclaimed ?? 0, unknown: counts.RecurrencesUnknown ?? 0 };
};
const pass = (seconds: number): void => {
  world.clock.now = plusSeconds(world.clock.now, seconds);
};
/** The rec is at the bank, at the location. */
const opensAtBank = (locationId: number, recurrenceId: string): void => {
  const history = [{ status: 'CREATED', at: world.clock.now }] as const;
  bank.known.recurrences.set(recurrenceId, { recurrenceId, location: `pix.example/rec/${locationId}`, history });
  bank.known.locations.set(recurrenceId, locationId);
};
const listed = () => world.items('UNSETTLED_LOCATION').length;
const nothing = { failed: 0, unclaimed: 0, unknown: 0 };

test.each([
  ['received', true],
  ['lost, and the list of recs has it at its location', false],
])('a rec of no subscription is canceled after an hour when its response was %s', async (_name, isAnswerReceived) => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  if (isAnswerReceived) await memory().opened('reference', idRec('a'));
  pass(3599);
  expect(await run()).toEqual(nothing);
  expect(await memory().read('reference')).toMatchObject({ id: 7 });
  pass(1);
  // A repetition makes another location from now on; one that is at work may still use this one.
  expect(await run()).toEqual(nothing);
  expect(await memory().read('reference')).toBeUndefined();
  pass(599);
  expect(await run()).toEqual(nothing);
  pass(1);
  expect(await run()).toEqual({ ...nothing, unclaimed: 1 });
  expect(canceled).toEqual([idRec('a')]);
  expect(listed()).toBe(0);
  expect(await run(true)).toEqual(nothing);
});

test('a rec is not canceled when its subscription was created meanwhile, even after its location was given up', async () => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  const { id } = await world.created(subscriptionBody());
  const own = world.items('SUBSCRIPTION').find((one) => one['id'] === id)?.['providerId'] as string;
  opensAtBank(7, own);
  await memory().opened('reference', own);
  expect(await run()).toEqual(nothing);
  expect(listed()).toBe(0);
  // Its answer was lost, and a repetition found it late.
  await memory().keep('late', { id: 8, createdAt: world.clock.now });
  pass(3600);
  expect(await run()).toEqual(nothing);
  bank.known.locations.set(own, 8);
  pass(3600);
  expect(await run()).toEqual(nothing);
  expect([canceled, listed()]).toEqual([[], 0]);
});

test('recs at unknown locations are counted once a day and never canceled; ended recs are not counted', async () => {
  opensAtBank(99, idRec('b'));
  opensAtBank(98, idRec('c'));
  bank.known.locations.delete(idRec('c'));
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  expect(await run()).toEqual(nothing);
  expect(await run(true)).toEqual({ ...nothing, unknown: 2 });
  for (let hour = 0; hour < 3; hour += 1) {
    pass(3600);
    await run();
  }
  expect(canceled).toEqual([idRec('a')]);
  expect(await run(true)).toEqual({ ...nothing, unknown: 2 });
});

test('the location that was kept is the one watched when two concurrent runs created one each', async () => {
  const createdAt = world.clock.now;
  await memory().keep('reference', { id: 7, createdAt });
  expect(await memory().keep('reference', { id: 8, createdAt })).toMatchObject({ id: 7 });
  opensAtBank(7, idRec('a'));
  for (let hour = 0; hour < 3; hour += 1) {
    pass(3600);
    await run();
  }
  expect([canceled, listed()]).toEqual([[idRec('a')], 0]);
});

test('a rec that the bank does not cancel is retried, and a location without a rec is dropped after a day', async () => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  await memory().keep('unused', { id: 8, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  const { cancel } = world.bank.recurrences;
  world.bank.recurrences.cancel = {
    find: cancel.find,
    submit: () => Promise.resolve({ outcome: 'NOT_NOW', cause: 'The connection is paused.' }),
  };
  pass(3600);
  await run();
  pass(3600);
  expect(await run()).toEqual({ ...nothing, failed: 1 });
  world.bank.recurrences.cancel = cancel;
  pass(3600);
  expect(await run()).toEqual({ ...nothing, unclaimed: 1 });
  expect(listed()).toBe(1);
  pass(86_400);
  expect(await run()).toEqual(nothing);
  expect(listed()).toBe(0);
});

test('a rec at a location that was given up is canceled, and the rec at the newer location of its request is not', async () => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  pass(3600);
  await run();
  await memory().keep('reference', { id: 8, createdAt: world.clock.now });
  opensAtBank(8, idRec('b'));
  await memory().opened('reference', idRec('b'));
  pass(600);
  expect(await run()).toEqual({ ...nothing, unclaimed: 1 });
  expect(canceled).toEqual([idRec('a')]);
});

test('a rec whose response was received is canceled also when the list of its bank names no locations', async () => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  bank.known.locations.clear();
  await memory().opened('reference', idRec('a'));
  pass(3600);
  await run();
  pass(600);
  expect(await run()).toEqual({ ...nothing, unclaimed: 1 });
  expect(canceled).toEqual([idRec('a')]);
});

test('a rec that its bank leaves open fails the run, and is not counted as unknown', async () => {
  await memory().keep('reference', { id: 7, createdAt: world.clock.now });
  opensAtBank(7, idRec('a'));
  const history = [{ status: 'CREATED', at: world.clock.now }] as const;
  world.bank.recurrences.cancel.submit = () => Promise.resolve({ outcome: 'DONE', state: { history } });
  pass(3600);
  await run();
  pass(600);
  expect(await run(true)).toEqual({ ...nothing, failed: 1 });
  expect(listed()).toBe(1);
});

test('recs are listed from ten minutes before the oldest location on', async () => {
  const { readerOf } = bank.events;
  const oldest = world.clock.now;
  await memory().keep('one', { id: 7, createdAt: oldest });
  pass(60);
  await memory().keep('two', { id: 8, createdAt: world.clock.now });
  const from: string[] = [];
  bank.events = {
    ...bank.events,
    readerOf: async (connection) => {
      const reader = await readerOf(connection);
      const listRecurrences: typeof reader.listRecurrences = (since, ...more) => {
        from.push(since);
        return reader.listRecurrences(since, ...more);
      };
      return { ...reader, listRecurrences };
    },
  };
  pass(3600);
  await run();
  pass(600);
  await run();
  expect(from).toEqual([plusSeconds(oldest, -600)]);
});
