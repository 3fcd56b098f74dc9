import { beforeEach, describe, expect, it, vi } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import { readForAttempts, writeDelivery } from '#shared/webhooks/deliveries/store.ts';
import type { CallDeps } from '#shared/webhooks/dispatch/call.ts';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { DeliveryEvent } from '#shared/webhooks/dispatch/report.ts';
import type { OutgoingCall } from '#shared/webhooks/dispatch/sender.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { addressCircuit, afterSlow, changeCircuit } from '#shared/webhooks/health/health.ts';
import { circuitRules } from '../support/circuit.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { companyId, endpoint, notifierWorld, t0 } from './notifier-world.ts';

let world: NotifierWorld;
let now: string;
let events: DeliveryEvent[];
let calls: OutgoingCall[];
let pauses: number[];
let result: CallResult;
let written: string[];
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 };
const failed: CallResult = { outcome: 'FAILED', error: 'STATUS', httpStatus: 503, durationMs: 5 };
const ack = { do: 'ack' };
const retrySoon = { do: 'retry', inSeconds: 1 };
const unavailable = () => Promise.reject(new StoreUnavailable('down'));

beforeEach(async () => {
  [now, events, calls, pauses, result, written] = [t0, [], [], [], delivered, []];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  world = await notifierWorld({
    now: () => now,
    send: (call) => {
      calls.push(call);
      return Promise.resolve(result);
    },
    sleep: (ms) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  });
  await world.given('d');
});

const received = (more: Partial<CallDeps> = {}, receives = 1, dispatch = 1) =>
  world.receive('d', dispatch, receives, { report: (event) => events.push(event), ...more });
const storeWith = (more: Partial<Store>): Pick<CallDeps, 'store'> => ({ store: { ...world.table, ...more } });
const changed = async (change: Partial<Delivery>): Promise<Delivery> => {
  const current = await world.present('d');
  const next = { ...current, ...change, version: current.version + 1 };
  await writeDelivery(world.table, next);
  return next;
};
const past = (outcome: 'FAILED' | 'UNKNOWN', count: number) =>
  Array.from({ length: count }, (_, place) => ({ number: place + 1, claimId: `p-${place}`, at: t0, outcome }));
const kinds = () => events.map(({ kind }) => kind);
const openAddress = () =>
  world.changeHealth((health, at) =>
    changeCircuit({ ...health, circuits: [] }, 'address', endpoint, true, at, (one) =>
      openCircuit(one, { now: at, failingSince: at, reason: 'HTTP 503' }, circuitRules),
    ),
  );

describe('the event of a received message', () => {
  it('reports the message as passed over when its delivery is absent or its dispatch is stale', async () => {
    await world.receive('other', 1, 1, { report: (event) => events.push(event) });
    await received({}, 1, 2);
    expect(events).toMatchObject([
      { kind: 'passed-over', because: 'absent', message: { deliveryId: 'other' } },
      { kind: 'passed-over', because: 'stale-dispatch', message: { deliveryId: 'd', dispatch: 2 } },
    ]);
  });

  it('reports the delivery as held when its company has no settings', async () => {
    await world.table.write([{ delete: keys.webhookSettings(companyId) }], 'no settings');
    expect(await received()).toEqual(ack);
    expect(events).toEqual([{ kind: 'held', delivery: await world.present('d') }]);
    expect(await world.present('d')).toMatchObject({ status: 'HELD', backlog: 'type:PAYIN' });
  });

  it('reports the delivery as deferred, with a drain at the next probe, when its circuit is open', async () => {
    await openAddress();
    expect(await received()).toEqual(ack);
    expect(events).toEqual([{ kind: 'deferred', delivery: await world.present('d') }]);
    expect(await world.health()).toMatchObject({ backlogs: [{ name: 'type:PAYIN' }], drainAt: plusSeconds(t0, 60) });
  });

  it('reports the delivery as failed, with the message as its dead letter, when the worker of its last attempt died', async () => {
    await changed({ attempts: [...past('FAILED', 4), ...past('UNKNOWN', 3)] });
    expect(await received()).toEqual(retrySoon);
    expect(events).toEqual([{ kind: 'failed', delivery: await world.present('d') }]);
    expect(await world.present('d')).toMatchObject({ status: 'FAILED', messageId: 'm-d-1' });
  });

  it('reports the first call of the delivery once, and each attempt with its result', async () => {
    result = failed;
    expect(await received()).toEqual({ do: 'retry', inSeconds: 60 });
    now = plusSeconds(t0, 60);
    await received({}, 2);
    expect(kinds()).toEqual(['first-call', 'attempt', 'attempt']);
    expect(events[1]).toMatchObject({ delivery: { attempts: [{}] }, source: { receives: 1 }, result: failed });
    expect(events[2]).toEqual({ ...events[2], delivery: await world.present('d') });
  });

  it('is not reported, and no drain is asked for, when a new dispatch takes over', async () => {
    await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
    await changed({ nextAttemptAt: plusSeconds(t0, 600) });
    const before = await world.health();
    expect(await received({}, 5)).toEqual(ack);
    expect([events, await world.health()]).toEqual([[], before]);
    expect(await world.present('d')).toMatchObject({ dispatch: 2, dueAt: plusSeconds(t0, 600) });
  });
});

describe('a delivery that changes while its message is worked off', () => {
  it('is decided anew four times, and then its message comes again', async () => {
    let reads = 0;
    const store = storeWith({
      read: (asked) => ((reads += 1), world.table.read(asked)),
      writeOne: async (write) => {
        await changed({});
        return world.table.writeOne(write);
      },
    });
    expect(await received(store)).toEqual(retrySoon);
    expect([reads, calls, events]).toEqual([4, [], []]);
  });

  it('is read again when its copy from the read of the whole batch is old', async () => {
    const known = await readForAttempts(world.table, [{ companyId, deliveryId: 'd' }]);
    await changed({ status: 'HELD', heldAt: t0, backlog: 'type:PAYIN' });
    const message = { companyId, deliveryId: 'd', dispatch: 1, id: 'm', receives: 1 };

    expect(await deliver(message, { ...world.deps, report: (event) => events.push(event) }, known)).toEqual(ack);
    expect(events).toMatchObject([{ kind: 'passed-over', because: 'held' }]);
  });

  it('is not called when it was delivered, or removed, before the claim', async () => {
    const removed = storeWith({
      writeOne: async (write) => {
        await world.table.write([{ delete: keys.delivery(companyId, 'd') }], 'remove');
        return world.table.writeOne(write);
      },
    });
    expect(await received(removed)).toEqual(ack);
    expect([calls, kinds()]).toEqual([[], ['passed-over']]);
  });
});

describe('a call', () => {
  it('has the content type, accept and user agent headers', async () => {
    await received();
    expect(calls[0]?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      accept: 'application/json',
      'user-agent': 'banking-order-service-webhooks/1',
    });
  });

  it('is not made without its body or its secret, and leaves no claim', async () => {
    for (const key of [keys.webhookSecret(companyId), keys.deliveryBody(companyId, 'd')]) {
      const [item] = await world.table.read([key]);
      await world.table.write([{ delete: key }], `without ${key.SK}`);
      await expect(received()).rejects.toThrow(CorruptItem);
      await world.table.write([{ put: item! }], `with ${key.SK}`);
    }
    expect([calls, events]).toEqual([[], []]);
    expect(await world.present('d')).not.toHaveProperty('claim');
  });

  it('makes its message the dead letter when it is the fifth to fail', async () => {
    result = failed;
    await changed({ attempts: past('FAILED', 4) });
    expect(await received()).toEqual(retrySoon);
    expect(await world.present('d')).toMatchObject({ status: 'FAILED' });
  });

  /** The first write is the claim. */
  const recordedAfter = (refused: number, response: () => Promise<never> = unavailable) => {
    let writes = 0;
    return storeWith({
      writeOne: (write) => {
        writes += 1;
        return writes > 1 && writes <= refused + 1 ? response() : world.table.writeOne(write);
      },
    });
  };

  it('is recorded at the fifth try, each after twice the pause', async () => {
    expect(await received(recordedAfter(4))).toEqual(ack);
    expect(pauses).toEqual([200, 400, 800, 1600]);
    expect(await world.present('d')).toMatchObject({ status: 'DELIVERED' });
    expect(kinds()).toEqual(['first-call', 'attempt']);
  });

  it('is lost when five tries fail, and at once by an error of another kind', async () => {
    await expect(received(recordedAfter(5))).rejects.toThrow('Cannot record the outcome of a webhook call.');
    expect(kinds()).toEqual(['first-call', 'recording-lost']);
    expect(pauses).toHaveLength(5);
    now = plusSeconds(t0, 20);
    const wrong = recordedAfter(1, () => Promise.reject(new CorruptItem('odd')));
    await expect(received(wrong, 2)).rejects.toThrow(CorruptItem);
    expect([kinds(), pauses.length]).toEqual([['first-call', 'recording-lost'], 5]);
  });

  it('is lost at once when its delivery was removed or claimed by another meanwhile', async () => {
    const during = (change: () => Promise<unknown>): Partial<CallDeps> => ({
      send: async () => {
        await change();
        return delivered;
      },
    });
    const lease = { at: now, leaseUntil: plusSeconds(now, 20) };
    await expect(received(during(() => changed({ claim: { id: 'x', number: 2, ...lease } })))).rejects.toThrow(
      StoreUnavailable,
    );
    expect(await world.present('d')).toMatchObject({ claim: { id: 'x' }, attempts: [] });
    now = plusSeconds(t0, 20);
    const remove = () => world.table.write([{ delete: keys.delivery(companyId, 'd') }], 'remove');
    await expect(received(during(remove), 2)).rejects.toThrow(StoreUnavailable);
    expect(kinds()).toEqual(['first-call', 'recording-lost', 'recording-lost']);
    expect(pauses).toEqual([]);
  });
});

describe('the endpoint of a call', () => {
  it('counts its failed calls, and is marked as busy by a slow one', async () => {
    result = failed;
    await received();
    const [circuit] = (await world.health()).circuits;
    const [failures] = await world.table.read([keys.endpointFailures(companyId, addressCircuit(endpoint))]);
    expect(circuit).toMatchObject({ state: 'CLOSED', counted: { id: failures?.['id'] } });
    expect(failures).toMatchObject({ since: t0, failures: 1, deliveries: 1, timeouts: 0 });
    now = plusSeconds(t0, 60);
    await received(
      {
        send: (_call, whenSlow) => {
          whenSlow(true);
          return Promise.resolve(delivered);
        },
      },
      2,
    );
    expect((await world.health()).circuits).toContainEqual(expect.objectContaining({ state: 'BUSY', url: endpoint }));
  });

  it('is marked as busy before its message is answered: a function is frozen after its answer', async () => {
    const order: string[] = [];
    const store = storeWith({
      // A write takes a turn of the event loop: a function that does not wait for it responds before.
      writeOne: async (write) => {
        if (!('put' in write) || write.put.SK !== 'HEALTH') return world.table.writeOne(write);
        await new Promise((resolve) => setImmediate(resolve));
        order.push('marked');
        return world.table.writeOne(write);
      },
    });
    const send: CallDeps['send'] = (_call, whenSlow) => {
      whenSlow(true);
      return Promise.resolve(delivered);
    };
    expect(await received({ ...store, send })).toEqual(ack);
    order.push('answered');
    expect(order).toEqual(['marked', 'answered']);
  });

  it('counts no probe for a message’s call while its circuit is open, and asks for a drain when that succeeds', async () => {
    await changed({ attempts: past('FAILED', 1) });
    await openAddress();
    result = failed;
    await received();
    expect((await world.health()).circuits).toMatchObject([{ state: 'OPEN', probes: 0 }]);
    expect(await world.health()).not.toHaveProperty('drainAt');
    [result, now] = [delivered, plusSeconds(t0, 300)];
    await received({}, 2);
    expect(await world.health()).toMatchObject({ circuits: [{ state: 'HALF_OPEN' }], backlogs: [], drainAt: now });
  });

  it('does not ask for a drain when its circuit is half-open already', async () => {
    await world.changeHealth((health, at) =>
      changeCircuit(health, 'address', endpoint, true, at, ({ name, url }) => ({
        ...{ name, url, state: 'HALF_OPEN', since: at },
      })),
    );
    await changed({ attempts: past('FAILED', 1) });
    const before = await world.health();
    await received();
    expect([calls.length, await world.health()]).toEqual([1, before]);
  });

  it('leaves the attempt recorded, and logs warnings, when its health cannot be written', async () => {
    result = failed;
    const isHealth = (write: Parameters<Store['writeOne']>[0]) => 'put' in write && write.put.SK === 'HEALTH';
    const store = storeWith({
      writeOne: (write) => (isHealth(write) ? unavailable() : world.table.writeOne(write)),
      write: unavailable,
    });
    const slow: Partial<CallDeps> = {
      send: (_call, whenSlow) => {
        whenSlow(false);
        return Promise.resolve(failed);
      },
    };
    expect(await received({ ...store, ...slow })).toEqual({ do: 'retry', inSeconds: 60 });
    expect(await world.present('d')).toMatchObject({ attempts: [{ outcome: 'FAILED' }] });
    const logged = written.map((line) => JSON.parse(line) as object);
    const warning = { level: 'warn', companyId, errorName: 'StoreUnavailable' };
    expect(logged).toMatchObject([
      { ...warning, message: 'Cannot mark a slow call' },
      { ...warning, message: 'Cannot count the outcome of a call for its endpoint' },
    ]);
  });
});
