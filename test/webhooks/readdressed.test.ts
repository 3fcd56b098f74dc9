import { beforeEach, describe, expect, test, vi } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { subscriptionInsert } from '#shared/subscriptions/store.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import {
  addressCircuit,
  askForDrain,
  changeCircuit,
  newHealth,
  originCircuit,
} from '#shared/webhooks/health/health.ts';
import { holdEndpoint, readEndpoints, writeEndpoints } from '#shared/webhooks/health/operations.ts';
import { readdress } from '#shared/webhooks/readdress.ts';
import { aSubscription } from '../support/builders.ts';
import { circuitRules } from '../support/circuit.ts';
import { each } from '../support/each.ts';
import { testIds } from '../support/test-ids.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, notifierWorld, t0 } from './notifier-world.ts';

const former = 'https://former.example/hooks';
const current = 'https://present.example/hooks';
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 };

let world: NotifierWorld;
let now: string;
let calls: { readonly id: string; readonly endpoint: string }[];
let response: (endpoint: string) => CallResult;
let whileCalled: () => Promise<void>;
let ids: ReturnType<typeof testIds>;

beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  now = t0;
  calls = [];
  response = () => delivered;
  whileCalled = () => Promise.resolve();
  ids = testIds('move');
  world = await notifierWorld({
    now: () => now,
    send: async ({ headers, endpoint }) => {
      calls.push({ id: headers['webhook-id'] ?? '', endpoint });
      await whileCalled();
      return response(endpoint);
    },
    sleep: (ms) => {
      now = plusMilliseconds(now, ms);
      return new Promise((resolve) => setImmediate(resolve));
    },
  });
});

/** A subscription whose notifications go to the former address. */
async function givenSubscription(id: string): Promise<void> {
  const put = subscriptionInsert(companyId, aSubscription({ id, webhookUrl: former }));
  await world.table.write([put], `subscription-${id}`);
}
const targetOf = (subscription: string) => ({ endpoint: former, subscription });

/** The clock of the company is a year ahead: searches and drains follow the machine's clock. */
const companyNow = (): string => plusSeconds(now, 365 * 86_400);

/** The subscription goes to another address, as the partner asks. */
async function move(id: string, webhookUrl = current, from = former): Promise<boolean> {
  const subscription = aSubscription({ id, webhookUrl: from });
  const deps = { store: world.deps.store, now: companyNow, realNow: () => now, ids };
  return (await readdress(deps, companyId, subscription, { webhookUrl, updatedBy: 'client' })) !== undefined;
}

const openedAt = (health: CompanyHealth, kind: 'address' | 'origin', url: string, at: string): CompanyHealth =>
  changeCircuit(health, kind, url, true, at, (one) =>
    openCircuit(one, { now: at, failingSince: at, reason: 'HTTP 503' }, circuitRules),
  );
const givenOpen = (url = former, kind: 'address' | 'origin' = 'address') =>
  world.changeHealth((health, at) => openedAt(health, kind, url, at));

/** So many deliveries of a subscription wait for the former address. */
async function givenWaiting(subscription: string, count: number, name = subscription): Promise<readonly string[]> {
  const deliveryIds = Array.from({ length: count }, (_, place) => `${name}-${String(place).padStart(4, '0')}`);
  for (const id of deliveryIds) {
    now = plusMilliseconds(now, 1);
    await world.given(id, targetOf(subscription), id);
    await world.receive(id);
  }
  return deliveryIds;
}

const called = (endpoint: string) => calls.filter((call) => call.endpoint === endpoint).map(({ id }) => id);
/** Drains that were asked for, one after the other, until none is due within these seconds. */
async function drainFor(seconds: number): Promise<void> {
  const until = plusSeconds(now, seconds);
  for (let drains = 0; ; drains += 1) {
    if (drains > 100) throw new Error('The drains do not end.');
    const { drainAt } = await world.health();
    if (drainAt === undefined || drainAt > until) return;
    if (drainAt > now) now = drainAt;
    await world.drain();
  }
}

describe('a notification of a subscription', () => {
  test('is called at the address that its subscription has at the attempt, and shows that one from then on', async () => {
    await givenSubscription('s');
    await world.given('d', targetOf('s'));
    await move('s');
    await world.receive('d');
    expect(calls).toEqual([{ id: 'd', endpoint: current }]);
    const { target, endpoint } = await world.present('d');
    expect([target, endpoint]).toEqual([{ endpoint: current, subscription: 's' }, current]);
  });

  test('is tried at the current address when it failed at the former one', async () => {
    await givenSubscription('s');
    await world.given('d', targetOf('s'));
    response = () => ({ outcome: 'FAILED', error: 'STATUS', httpStatus: 500, durationMs: 5 });
    await world.receive('d');
    await move('s');
    now = plusSeconds(now, 90);
    response = () => delivered;
    await world.receive('d', 1, 2);
    expect(calls.map(({ endpoint }) => endpoint)).toEqual([former, current]);
    expect(await world.present('d')).toMatchObject({ status: 'DELIVERED', attempts: [{ number: 1 }, { number: 2 }] });
  });

  test('whose call is under way when its subscription moves ends at the former address, once', async () => {
    await givenSubscription('s');
    await world.given('d', targetOf('s'));
    whileCalled = async () => {
      await move('s');
    };
    await world.receive('d');
    expect(calls).toEqual([{ id: 'd', endpoint: former }]);
    expect(await world.present('d')).toMatchObject({ status: 'DELIVERED' });
  });

  test('keeps the address that is known when the table has no such subscription', async () => {
    await world.given('d', targetOf('gone'));
    await world.receive('d');
    expect(calls).toEqual([{ id: 'd', endpoint: former }]);
  });

  test('costs one more read, of the subscription, than a notification to the endpoint of its type', async () => {
    await givenSubscription('s');
    await world.given('d', targetOf('s'));
    await world.given('e');
    const before = world.counted.reads;
    await world.receive('d');
    await world.receive('e');
    expect(world.counted.reads - before).toBe(6 + 5);
  });
});

describe('a subscription that leaves an address', () => {
  beforeEach(async () => {
    await givenSubscription('s');
    await givenSubscription('stays');
  });

  test('writes no health, and asks for no drain, when its endpoints are healthy', async () => {
    expect(await move('s')).toBe(true);
    expect(await world.health()).toMatchObject({ version: 0, drains: 0 });
  });

  test('writes no item when it has the address already', async () => {
    const before = world.table.all();
    expect(await move('s', former)).toBe(true);
    expect(world.table.all()).toEqual(before);
  });

  test('is refused, and stays unchanged, when a circuit opens after the health was read', async () => {
    const read = world.deps.store.read.bind(world.deps.store);
    const late = { ...world.deps.store };
    late.read = async (keys) => {
      const items = await read(keys);
      await givenOpen();
      return items;
    };
    const deps = { store: late, now: companyNow, realNow: () => now, ids };
    expect(
      await readdress(deps, companyId, aSubscription({ id: 's', webhookUrl: former }), {
        webhookUrl: current,
        updatedBy: 'client',
      }),
    ).toBeUndefined();
    await world.given('d', targetOf('s'));
    await world.receive('d');
    expect(await world.present('d')).toMatchObject({ backlog: addressCircuit(former) });
  });

  test('takes along all that waits for it, from among others, while its circuit is open', async () => {
    await givenOpen();
    const others = await givenWaiting('stays', 130);
    const own = [...(await givenWaiting('s', 3)), ...(await givenWaiting('s', 60, 'more'))];
    await move('s');
    await drainFor(5);
    expect(called(current)).toEqual(own);
    expect(called(former)).toEqual([]);
    for (const id of own) expect(await world.present(id)).toMatchObject({ status: 'DELIVERED', endpoint: current });
    for (const id of [others[0]!, others.at(-1)!])
      expect(await world.present(id)).toMatchObject({ status: 'PENDING', backlog: addressCircuit(former) });
  });

  test('takes along what waits for its origin', async () => {
    await givenOpen(former, 'origin');
    const own = await givenWaiting('s', 2);
    expect(await world.present(own[0]!)).toMatchObject({ backlog: originCircuit(former) });
    await move('s');
    await drainFor(5);
    expect(called(current)).toEqual(own);
  });

  test('takes along what is held there, by an operator or because it failed for days', async () => {
    const endpoints = await readEndpoints(world.deps.store, companyId);
    await writeEndpoints(world.deps, endpoints, holdEndpoint(endpoints, former, now));
    const own = await givenWaiting('s', 2);
    const [other] = await givenWaiting('stays', 1);
    expect(await world.present(own[0]!)).toMatchObject({ status: 'HELD' });
    await move('s');
    await drainFor(5);
    expect(called(current)).toEqual(own);
    expect(await world.present(other!)).toMatchObject({ status: 'HELD' });
  });

  test('takes along what joins late: its notifier had read the former address', async () => {
    await givenOpen();
    await givenWaiting('stays', 1);
    await world.given('late', targetOf('s'));
    const write = world.deps.store.writeOne.bind(world.deps.store);
    // The drain has passed by when the notifier writes that the delivery waits.
    const delayed = { ...world.deps.store };
    delayed.writeOne = async (one) => {
      await move('s');
      await drainFor(5);
      now = plusSeconds(now, 10);
      return write(one);
    };
    await world.receive('late', 1, 1, { store: delayed });
    expect(await world.present('late')).toMatchObject({ backlog: addressCircuit(former) });
    expect(called(current)).toEqual([]);
    await drainFor(30);
    expect(called(current)).toEqual(['late']);
  });

  test('is searched for immediately, too, when it leaves while a drain searches for an earlier one', async () => {
    await givenOpen();
    await givenWaiting('s', 1);
    const [other] = await givenWaiting('stays', 1);
    await move('s');
    whileCalled = async () => {
      whileCalled = () => Promise.resolve();
      await move('stays');
    };
    await drainFor(5);
    expect(called(current)).toContain(other);
  });

  test('is searched for only for a while: the drains end, and the mark is removed', async () => {
    await givenOpen();
    await givenWaiting('stays', 2);
    await move('s');
    await drainFor(45);
    const health = await world.health();
    const [circuit] = health.circuits;
    expect(health.backlogs).toMatchObject([{ name: addressCircuit(former) }]);
    expect(health.backlogs[0]).not.toHaveProperty('readdressedAt');
    expect(circuit?.state === 'OPEN' && health.drainAt).toBe(circuit?.state === 'OPEN' && circuit.probeAt);
  });

  test('waits for its present address where that is stopped, too, and lets others of the backlog pass', async () => {
    await givenOpen();
    const own = await givenWaiting('s', 2);
    await givenOpen(current);
    await move('s');
    await drainFor(5);
    expect(calls).toEqual([]);
    for (const id of own) expect(await world.present(id)).toMatchObject({ backlog: addressCircuit(current) });
    const { backlogs } = await world.health();
    expect(backlogs.map(({ name }) => name)).toContain(addressCircuit(current));
  });

  test('stays wanted in a backlog that was taken for empty, when a delivery joins it', () => {
    const name = addressCircuit(former);
    const empty = { ...newHealth(companyId), backlogs: [{ name, emptySince: t0, readdressedAt: t0 }] };
    expect(askForDrain(empty, [name], t0, t0).backlogs).toEqual([{ name, readdressedAt: t0 }]);
  });
});

test('the deliveries of 20 subscriptions are found by few passes when all leave one address in turn', async () => {
  await givenOpen();
  const subscriptions = Array.from({ length: 20 }, (_, place) => `s-${String(place)}`);
  for (const id of subscriptions) {
    await givenSubscription(id);
    await givenWaiting(id, 5);
  }
  for (const id of subscriptions) {
    expect(await move(id)).toBe(true);
    now = plusMilliseconds(now, 100);
  }
  const before = world.counted.reads;
  await drainFor(60);
  expect(called(current)).toHaveLength(100);
  for (const id of each(called(current))) expect(await world.present(id)).toMatchObject({ status: 'DELIVERED' });
  // Each delivery is read once by the search, with its body and address; the claim and the record are writes.
  expect(world.counted.reads - before).toBeLessThan(100 * 8);
});
