import { beforeEach, describe, expect, it, vi } from 'vitest';
import { millisecondsBetween, plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { CallResult } from '#shared/webhooks/deliveries/states.ts';
import type { DeliveryEvent } from '#shared/webhooks/dispatch/report.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { afterSlow, askForDrain, changeCircuit } from '#shared/webhooks/health/health.ts';
import type { DrainDeps } from '#shared/webhooks/backlog/run.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { circuitRules } from '../support/circuit.ts';
import type { NotifierWorld } from './notifier-world.ts';
import { endpoint, notifierWorld, t0 } from './notifier-world.ts';

let world: NotifierWorld;
let now: string;
let called: string[];
let response: (id: string) => CallResult;
/** How long a call takes, seconds. */
let takes: number;
const delivered: CallResult = { outcome: 'DELIVERED', httpStatus: 200, durationMs: 5 };
const failed: CallResult = { outcome: 'FAILED', error: 'STATUS', httpStatus: 503, durationMs: 5 };

beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  now = t0;
  called = [];
  response = () => delivered;
  takes = 0;
  world = await notifierWorld({
    now: () => now,
    send: async ({ headers }) => {
      const id = headers['webhook-id'] ?? '';
      called.push(id);
      const ends = plusSeconds(now, takes);
      while (now < ends) await new Promise((resolve) => setImmediate(resolve));
      return response(id);
    },
    // Time passes while a drain waits.
    sleep: (ms) => {
      now = plusMilliseconds(now, ms);
      return new Promise((resolve) => setImmediate(resolve));
    },
  });
});

/** So many deliveries wait, because the endpoint was slow. */
const givenWaiting = async (count: number): Promise<void> => {
  await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
  for (let place = 0; place < count; place += 1) {
    now = plusMilliseconds(now, 1);
    await world.given(`d-${String(place).padStart(3, '0')}`, undefined, `o-${place}`);
    expect(await world.receive(`d-${String(place).padStart(3, '0')}`)).toEqual({ do: 'ack' });
  }
};
const givenOpen = (kind: 'address' | 'origin' = 'address'): Promise<unknown> =>
  world.changeHealth((health, at) =>
    changeCircuit({ ...health, circuits: [] }, kind, endpoint, true, at, (one) =>
      openCircuit(one, { now: at, failingSince: at, reason: 'HTTP 503' }, circuitRules),
    ),
  );
/** What waits is held by an operator: its drain is asked for, and has not begun. */
const givenHeld = async (count: number): Promise<void> => {
  await givenWaiting(count);
  await world.changeHealth((health, at) =>
    changeCircuit({ ...health, circuits: [] }, 'address', endpoint, true, at, ({ name, url }) => {
      return { name, url, state: 'HELD', by: 'OPERATOR', since: at };
    }),
  );
};
/** Drains until none is asked for, ten at most. @returns how many there were */
const drainUntilOver = async (more: Partial<DrainDeps> = {}, begins: () => unknown = () => 0): Promise<number> => {
  let drains = 0;
  for (let at = (await world.health()).drainAt; at !== undefined && drains < 10; drains += 1) {
    if (at > now) now = at;
    begins();
    await world.drain(more);
    at = (await world.health()).drainAt;
  }
  return drains;
};

describe('a drain', () => {
  it('is asked for by the first delivery that waits, at one write for each further one, and calls oldest first', async () => {
    await givenWaiting(3);
    expect(await world.health()).toMatchObject({ backlogs: [{ name: 'type:PAYIN' }], drains: 1 });
    expect(called).toEqual([]);
    const before = world.counted.writes;
    await world.given('d-9');
    await world.receive('d-9');
    expect(world.counted.writes - before).toBe(1);
    await world.drain();
    expect(called).toEqual(['d-000', 'd-001', 'd-002', 'd-9']);
    expect(await world.present('d-002')).toMatchObject({ status: 'DELIVERED', attempts: [{ number: 1 }], dispatch: 1 });
  });

  it('ends when its backlogs stay empty, looks twice more for deliveries that join late, and removes the backlogs', async () => {
    await givenWaiting(1);
    const waits: number[] = [];
    for (let drains = 0; drains < 2; drains += 1) {
      await world.drain();
      const { backlogs, drainAt, lease } = await world.health();
      expect(backlogs).toMatchObject([{ name: 'type:PAYIN', emptySince: expect.any(String) as string }]);
      expect(lease).toBeUndefined();
      waits.push(millisecondsBetween(backlogs[0]?.emptySince ?? '', drainAt ?? ''));
      now = drainAt ?? now;
    }
    expect(waits).toEqual([5000, 120_000]);
    await world.drain();
    expect(await world.health()).toMatchObject({ backlogs: [], circuits: [] });
    expect(await world.health()).not.toHaveProperty('drainAt');
  });

  it('makes no call while another drain holds the lease, and begins once that lease is over', async () => {
    await givenWaiting(3);
    const lease = { id: 'other', until: plusSeconds(now, 60) };
    await world.changeHealth((health) => ({ ...health, lease }));
    await world.drain();
    expect(called).toEqual([]);
    now = plusSeconds(now, 61);
    await world.drain();
    expect(called).toHaveLength(3);
  });

  it('keeps the order of one subject, and lets others pass it', async () => {
    await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
    for (const [id, subject] of [
      ['d-1', 'o'],
      ['d-2', 'o'],
      ['d-3', 'other'],
    ] as const) {
      now = plusMilliseconds(now, 1);
      await world.given(id, undefined, subject);
      await world.receive(id);
    }
    await world.drain();
    expect(called).toEqual(['d-1', 'd-3', 'd-2']);
  });

  it('probes an open circuit once it is due, with the delivery that has most attempts left, and waits when that fails', async () => {
    await givenWaiting(3);
    await givenOpen();
    response = () => failed;
    await world.drain();
    expect(called).toEqual([]);
    const opened = await world.health();
    expect(opened.drainAt).toBe(opened.circuits[0]?.state === 'OPEN' ? opened.circuits[0].probeAt : '');
    now = opened.drainAt ?? now;
    await world.drain();
    expect(called).toEqual(['d-000']);
    expect(await world.present('d-000')).toMatchObject({ status: 'PENDING', backlog: 'type:PAYIN', attempts: [{}] });
    const probed = await world.health();
    expect(probed.circuits).toMatchObject([{ state: 'OPEN', probes: 1, reason: 'HTTP 503' }]);
    now = probed.drainAt ?? now;
    await world.drain();
    expect(called).toEqual(['d-000', 'd-001']);
  });

  it('makes first calls in the backlog: no measure of the service counts them', async () => {
    await givenWaiting(1);
    const events: DeliveryEvent[] = [];
    await world.drain({ report: (event) => void events.push(event) });
    expect(events).toMatchObject([{ kind: 'first-call', delivery: { backlog: expect.any(String) as string } }, {}]);
  });

  it('reports at its end how many deliveries left, however short it was', async () => {
    await givenWaiting(3);
    // Nothing is left of the slowness, and nothing is to be written of an endpoint that answers.
    await world.changeHealth((health) => ({ ...health, circuits: [] }));
    const reportedCounts: number[] = [];
    await world.drain({ onDrain: ({ drained }) => void reportedCounts.push(drained) });
    expect(reportedCounts.reduce((total, one) => total + one, 0)).toBe(3);
  });

  it.each([
    ['failed', () => failed, 'address', 'OPEN'],
    ['succeeded', () => delivered, 'origin', 'CLOSED'],
  ] as const)(
    'writes at its end the result of its last call when that call %s after its last write',
    async (_how, last, kind, state) => {
      await givenWaiting(1);
      response = last;
      // One round: its call ends when the drain has written for the last time. One failure opens the circuit.
      await world.drain({ rules: { ...circuitRules, failures: 1, deliveries: 1 } }, 20.02);
      expect(called).toEqual(['d-000']);
      const { circuits } = await world.health();
      expect(circuits.find(({ name }) => name.startsWith(kind))?.state).toBe(state);
    },
  );

  it('does not spend the last attempt of a delivery on a probe of an endpoint that is known to be down', async () => {
    await givenWaiting(1);
    await givenOpen();
    response = () => failed;
    for (let drains = 0; drains < 9; drains += 1) {
      now = (await world.health()).drainAt ?? now;
      await world.drain();
    }
    expect(called).toHaveLength(4);
    expect(await world.present('d-000')).toMatchObject({ status: 'PENDING', backlog: 'type:PAYIN' });
  });

  it('forgets no backlog whose delivery was called during each look at it, and failed', async () => {
    await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
    await world.given('d-1', { endpoint });
    await world.receive('d-1');
    const { backlog } = await world.present('d-1');
    // The address answers again, as far as is known, its origin does not: looks go on during the probe of that.
    await givenOpen('origin');
    response = () => ({ outcome: 'FAILED', error: 'TIMEOUT', durationMs: 10_000 });
    takes = 10;
    for (let drains = 0; drains < 20 && called.length < 3; drains += 1) {
      await world.drain();
      const { backlogs, drainAt } = await world.health();
      expect(backlogs.map(({ name }) => name)).toContain(backlog);
      now = drainAt ?? now;
    }
    [response, takes] = [() => delivered, 0];
    for (let drains = 0; drains < 6 && called.length < 4; drains += 1) {
      await world.drain();
      now = (await world.health()).drainAt ?? now;
    }
    expect(await world.present('d-1')).toMatchObject({ status: 'DELIVERED' });
  });

  it('forgets no backlog that an earlier drain took for empty because the index lagged', async () => {
    await world.changeHealth((health, at) => afterSlow(health, endpoint, true, at));
    await world.given('d-1', { endpoint });
    await world.receive('d-1');
    const { backlog } = await world.present('d-1');
    const lagging = { ...world.table, query: () => Promise.resolve({ items: [] }) };
    await world.drain({ store: lagging });
    expect((await world.health()).backlogs).toEqual([{ name: backlog, emptySince: expect.any(String) as string }]);
    // The next one finds it, and the partner fails: it stays.
    now = plusSeconds(now, 300);
    await givenOpen();
    now = plusSeconds(now, 60);
    response = () => failed;
    await world.drain();
    expect(called).toEqual(['d-1']);
    expect((await world.health()).backlogs).not.toMatchObject([{ emptySince: expect.any(String) as string }]);
    now = plusSeconds(now, 3600);
    await world.drain({ store: lagging });
    expect((await world.health()).backlogs).toMatchObject([{ name: backlog }]);
    now = plusSeconds(now, 3600);
    response = () => delivered;
    await world.drain();
    expect(await world.present('d-1')).toMatchObject({ status: 'DELIVERED' });
  });

  it('forgets no backlog whose deliveries it could not read', async () => {
    await givenWaiting(1);
    await world.drain({ store: { ...world.table, query: () => Promise.resolve({ items: [] }) } });
    expect((await world.health()).backlogs).toMatchObject([{ emptySince: expect.any(String) as string }]);
    now = plusSeconds(now, 300);
    const read: Store['read'] = (keys) =>
      keys.some(({ PK }) => PK.includes('d-000')) ? Promise.reject(new StoreUnavailable('x')) : world.table.read(keys);
    await world.drain({ store: { ...world.table, read } }, 30);
    const { backlogs, drainAt } = await world.health();
    expect([backlogs, drainAt! <= now]).toEqual([[{ name: 'type:PAYIN' }], true]);
  });

  it('lets the rest go after a probe that succeeds, and closes the circuit when it has caught up', async () => {
    await givenWaiting(40);
    await givenOpen();
    now = plusSeconds(now, 60);
    await world.changeHealth((health) => askForDrain(health, [], now, now));
    await world.drain();
    expect(called).toHaveLength(40);
    expect((await world.health()).circuits).toEqual([]);
  });

  it('gives an endpoint up that failed for days, with its types, and holds what waits', async () => {
    await givenWaiting(2);
    await givenOpen();
    response = () => failed;
    now = plusSeconds(now, circuitRules.disableAfterSeconds);
    await world.changeHealth((health) => askForDrain(health, [], now, now));
    await world.drain();
    expect((await world.health()).circuits).toMatchObject([{ state: 'HELD', by: 'CIRCUIT' }]);
    expect(await world.present('d-001')).toMatchObject({ status: 'HELD', backlog: 'type:PAYIN' });
  });

  it('leaves deliveries held while an operator holds their endpoint, and no drain is asked for after the third', async () => {
    // More than one read, less than one page.
    await givenHeld(60);
    const began = now;
    expect(await drainUntilOver()).toBe(3);
    expect(millisecondsBetween(began, now)).toBeLessThan(150_000);
    expect(await world.health()).toMatchObject({ backlogs: [], circuits: [{ state: 'HELD' }] });
    expect(await world.present('d-001')).toMatchObject({ status: 'HELD', backlog: 'type:PAYIN' });
  });

  it('finds a held delivery that an earlier drain did not see, and looks again for others', async () => {
    await givenHeld(2);
    let looks = 0;
    const query: Store['query'] = async (asked) => {
      const page = await world.table.query(asked);
      return looks < 2 ? { ...page, items: page.items.filter(({ PK }) => !PK.includes('d-001')) } : page;
    };
    const drained = await drainUntilOver({ store: { ...world.table, query } }, () => (looks += 1));
    expect(await world.present('d-001')).toMatchObject({ status: 'HELD', backlog: 'type:PAYIN' });
    expect(drained).toBeGreaterThan(3);
  });

  it('goes on, and calls each delivery once, when the table cannot be reached at times', async () => {
    await givenWaiting(5);
    let queries = 0;
    const store = {
      ...world.table,
      query: (query: Parameters<typeof world.table.query>[0]) =>
        (queries += 1) % 2 === 1 ? Promise.reject(new StoreUnavailable('x')) : world.table.query(query),
    };
    await world.drain({ store });
    expect(called.toSorted()).toEqual(['d-000', 'd-001', 'd-002', 'd-003', 'd-004']);
  });

  it('calls a delivery again when it failed and joins the backlog again soon', async () => {
    await givenWaiting(1);
    response = () => (called.length === 1 ? failed : delivered);
    let rounds = 0;
    await world.drain({
      sleep: async (ms) => {
        now = plusMilliseconds(now, ms);
        await new Promise((resolve) => setImmediate(resolve));
        if ((rounds += 1) === 8) await world.receive('d-000', 2);
      },
      delays: [1],
    });
    expect(called).toEqual(['d-000', 'd-000']);
    expect(await world.present('d-000')).toMatchObject({ status: 'DELIVERED' });
  });

  it('asks for the next drain immediately when it ends before its backlog is empty', async () => {
    await givenWaiting(60);
    await world.drain({}, 20.02);
    expect(called.length).toBeLessThan(60);
    const { drainAt, drains } = await world.health();
    expect([drainAt! <= now, drains]).toEqual([true, 2]);
    await world.drain();
    expect(called).toHaveLength(60);
  });
});
