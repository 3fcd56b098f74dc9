import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { countedFailures } from '#shared/webhooks/deliveries/states.ts';
import { parseDeliveryMessage } from '#shared/webhooks/dispatch/queue.ts';
import type { CompanyHealth } from '#shared/webhooks/health/health.ts';
import { changeCircuit, pausedReasonOf } from '#shared/webhooks/health/health.ts';
import type { CircuitRules } from '#shared/webhooks/health/circuit.ts';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { fc } from '#test/support/properties.ts';
import { circuitRules } from '#test/support/circuit.ts';
import type { Answer, Call } from '#test/model/delivery-world-types.ts';
import { followsMoves, findForgotten } from '#test/model/delivery-invariants.ts';
import { delays, deliveryWorld, endpoint, limits, startMs } from '#test/model/delivery-world.ts';

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

const minuteMs = 60_000;
const chaosMs = 120 * minuteMs;
const patienceMs = 4 * 24 * 60 * minuteMs;

type World = ReturnType<typeof deliveryWorld>;
const lettersOf = (world: World) => [...world.queue.dead.values()].map(({ body }) => parseDeliveryMessage(body));

/** Receivers of every behaviour: quick, slow, failing some times, always, or by chance. */
function behaviour(chance: () => number): Answer {
  const kind = Math.floor(chance() * 5);
  let failures = Math.floor(chance() * 5);
  return () => {
    const ms = chance() < 0.2 ? 9000 + chance() * 2000 : chance() * 300;
    if (kind === 0) return { ok: false, ms };
    if (kind === 1) return { ok: chance() < 0.5, ms };
    if (kind === 2) return { ok: true, ms };
    return { ok: (failures -= 1) < 0, ms };
  };
}

const other = 'https://other.example/';
const moved = 'https://partner.example/new';
/** Circuits that open and are given up within the simulation. */
const quick: CircuitRules = {
  failures: 6,
  deliveries: 3,
  windowSeconds: 1800,
  timeouts: 3,
  probeDelaysSeconds: [60, 120, 240],
  disableAfterSeconds: 3600,
};
type Chaos = {
  readonly seed: number;
  readonly intensity: number;
  readonly graceSeconds: number;
  readonly rules?: CircuitRules;
  readonly throttled?: number;
};

/**
 * Hours of faults, then a time without faults until nothing is left to do. After every write, each waiting delivery has
 * a worker that looks at it.
 */
async function live({ seed, intensity, graceSeconds, rules, throttled = 0 }: Chaos): Promise<World> {
  moves = followsMoves('sub');
  const faults = { crash: 0.03 * intensity, unavailable: 0.04 * intensity, indexLag: 0.2 * intensity };
  const watch = (): void => {
    const items = world.items();
    moves.look(items, world.time.now());
    forgotten ??= findForgotten(items, world.clock());
  };
  const world = deliveryWorld(seed, faults, { graceSeconds, watch, ...(rules && { rules }), workers: 4, throttled });
  await world.open();
  await world.subscribe('sub', other);
  moves.look(world.items(), 0);
  const { chance, time } = world;
  const addresses = [endpoint, other, moved];
  for (let place = 0; place < 14; place += 1) {
    const target = ofSubscription(place) ? { endpoint: other, subscription: 'sub' } : { type: 'PAYIN' as const };
    const response = behaviour(chance);
    // When circuits open soon, deliveries without a response would keep the endpoint down for the others permanently.
    const isWell = (): boolean => rules === quick && time.now() >= chaosMs;
    world.notifyAt(chance() * 60 * minuteMs, `d-${place}`, target, () => (isWell() ? { ok: true, ms: 5 } : response()));
  }
  const sometime = (action: () => unknown): void => {
    time.at(chance() * 0.9 * chaosMs, () => void action());
  };
  for (let toggles = 0; toggles < 6; toggles += 1) {
    const address = chance() < 0.4 ? moved : endpoint;
    sometime(() => world.setEndpoint(toggles % 2 === 0 ? 'INACTIVE' : 'ACTIVE', address));
  }
  for (const address of addresses) sometime(() => world.readdress('sub', address));
  for (const address of [...addresses, undefined])
    for (const does of ['hold', 'release'] as const) if (chance() < 0.4) sometime(() => world.operate(does, address));
  for (const address of [...addresses, 'https://partner.example'])
    for (const behaviour of ['fails', 'answers', 'hangs', 'dead', { ms: 3000 }] as const)
      if (chance() < 0.5)
        sometime(() => {
          world.behave(address, behaviour);
        });
  if (chance() < 0.3) time.at(chance() * chaosMs, world.restart);
  await time.run(chaosMs);
  world.calm();
  let isPeace = false;
  const makePeace = async (): Promise<void> => {
    for (const address of [...addresses, 'https://partner.example']) world.behave(address, 'answers');
    for (const address of [undefined, ...addresses]) await until(() => world.operate('release', address));
    await until(() => world.setEndpoint('ACTIVE'));
    isPeace = true;
  };
  time.at(chaosMs, () => void makePeace());
  const isOver = (): boolean =>
    isPeace &&
    world.queue.messages.size === 0 &&
    world.deliveries().every(({ status }) => status === 'DELIVERED' || status === 'FAILED');
  await time.run(chaosMs + patienceMs, isOver);
  // Letters that became stale in the last moment are found by the next look at all of them; drains end.
  await time.run(time.now() + 30 * minuteMs);
  return world;
}

let forgotten: string | undefined;
let moves: ReturnType<typeof followsMoves>;
const ofSubscription = (place: number): boolean => place % 4 > 1;
async function until(does: () => Promise<boolean>): Promise<void> {
  while (!(await does()));
}

describe('deliveries under crashes, duplicates, reordering and receivers of every temper', () => {
  it('are never lost, fail at most five times, and are dead-lettered exactly once if they failed', async () => {
    // From a sweep that overtakes the queue to one that finds messages long dead.
    const graceSeconds = fc.constantFrom(60, 300, 1800);
    const intensity = fc.constantFrom(0, 0.3, 1, 2, 6);
    const rules = fc.constantFrom(circuitRules, quick, quick);
    const throttled = fc.constantFrom(0, 0, 0.1, 0.4);
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    await fc.assert(
      fc.asyncProperty(fc.record({ seed, intensity, graceSeconds, rules, throttled }), async (chaos) => {
        const world = await live(chaos);
        expect(forgotten).toBeUndefined();
        const deliveries = world.deliveries();
        expect(deliveries).toHaveLength(14);
        for (const delivery of deliveries) expectSound(delivery, world);
        const own = world.calls.filter(({ id }) => ofSubscription(Number(id.slice(2))));
        expect(moves.late(own), 'calls to a former address').toEqual([]);
        const failed = deliveries.filter(({ status }) => status === 'FAILED').map(({ id }) => id);
        expect(
          lettersOf(world)
            .map((deadLetter) => deadLetter?.deliveryId)
            .sort(),
        ).toEqual(failed.sort());
        // No backlog is left.
        const { backlogs, lease, drainAt } = await world.health();
        expect({ backlogs, lease, drainAt }).toEqual({ backlogs: [] });
      }),
      { numRuns: Number(process.env['RUNS'] ?? 60) },
    );
  });
});

describe('deliveries while everything works', () => {
  it('are called five times at once and after 1, 5, 15 and 30 minutes, by one message that becomes the dead letter', async () => {
    const world = deliveryWorld(7);
    await world.open();
    world.calm();
    world.notifyAt(1000, 'd-1', { type: 'PAYIN' }, () => ({ ok: false, ms: 100 }));
    await world.time.run(3 * 60 * minuteMs);
    const [delivery] = world.deliveries();
    expect(delivery).toMatchObject({ status: 'FAILED', dispatch: 1, messageId: 'm-1' });
    expect(lettersOf(world)).toMatchObject([{ deliveryId: 'd-1', dispatch: 1 }]);
    const starts = world.calls.map(({ startMs }) => startMs / 1000);
    const waits = starts.slice(1).map((start, place) => start - (starts[place] ?? 0));
    expect(starts[0]).toBeLessThan(2);
    expect(waits).toHaveLength(4);
    waits.forEach((wait, place) => {
      const delay = delays[place] ?? 0;
      expect(wait).toBeGreaterThanOrEqual(delay);
      expect(wait).toBeLessThan(delay * 1.2 + 2);
    });
  });

  it.each([1, 2, 3, 4, 5])('are called %i times when that call succeeds, and leave no dead letter', async (times) => {
    const world = deliveryWorld(times);
    await world.open();
    world.calm();
    let calls = 0;
    world.notifyAt(1000, 'd-1', { type: 'PAYIN' }, () => ({ ok: (calls += 1) === times, ms: 100 }));
    await world.time.run(3 * 60 * minuteMs);
    expect(world.deliveries()).toMatchObject([{ status: 'DELIVERED', dispatch: 1 }]);
    expect(world.calls).toHaveLength(times);
    expect(world.queue.dead.size + world.queue.messages.size).toBe(0);
  });

  it('are held without an endpoint, and sent oldest first when there is one', async () => {
    const world = deliveryWorld(11);
    await world.open();
    world.calm();
    world.time.at(0, () => void world.setEndpoint('INACTIVE'));
    for (let place = 0; place < 60; place += 1)
      world.notifyAt((2 + place) * 1000, `d-${String(place).padStart(2, '0')}`, { type: 'PAYIN' }, () => ({
        ok: true,
        ms: 1,
      }));
    await world.time.run(5 * minuteMs);
    expect(new Set(world.deliveries().map(({ status }) => status))).toEqual(new Set(['HELD']));
    expect(world.calls).toHaveLength(0);
    world.time.at(world.time.now(), () => void world.setEndpoint('ACTIVE'));
    await world.time.run(10 * minuteMs);
    expect(world.deliveries().every(({ status }) => status === 'DELIVERED')).toBe(true);
    expect(world.calls).toHaveLength(60);
    expectOldestFirst(world.calls.map(({ id }) => id));
    expect((await world.health()).backlogs).toEqual([]);
  });
});

describe('deliveries to an endpoint that fails for three hours', () => {
  it.each(['fails', 'hangs', 'dead'] as const)(
    'deliveries that were created after the circuit opened are all delivered later (the endpoint: %s)',
    async (behaviour) => {
      const world = deliveryWorld(5);
      await world.open();
      for (let place = 0; place < 400; place += 1)
        world.notifyAt(place * 30_000, `d-${String(place).padStart(3, '0')}`, { type: 'PAYIN' });
      world.behave(endpoint, behaviour);
      world.time.at(180 * minuteMs, () => {
        world.behave(endpoint, 'answers');
      });
      await world.time.run(170 * minuteMs);
      const opened = world.healthEvents.find(({ kind }) => kind === 'circuit-opened')?.circuit;
      const openedMs = Date.parse(opened?.state === 'OPEN' ? opened.since : '') - startMs;
      const isLater = ({ createdAt }: Delivery): boolean => Date.parse(createdAt) - startMs > openedMs;
      const isSettled = ({ createdAt }: Delivery): boolean => Date.parse(createdAt) - startMs < 169 * minuteMs;
      const waiting = world.deliveries().filter((one) => isLater(one) && isSettled(one));
      expect(waiting.length).toBeGreaterThan(100);
      const { settings, health } = await world.endpoints();
      for (const delivery of waiting) {
        expect(pausedReasonOf(delivery, settings, health)).toBe('ENDPOINT_FAILING');
        expect(countedFailures(delivery)).toBeLessThanOrEqual(1);
      }
      const probes = world.calls.filter(({ startMs: ms }) => ms > openedMs + 60 * minuteMs);
      expect(probes.length).toBeLessThanOrEqual(8);
      await world.time.run(6 * 60 * minuteMs);
      expect(
        world
          .deliveries()
          .filter(isLater)
          .every(({ status }) => status === 'DELIVERED'),
      ).toBe(true);
      const kinds = world.healthEvents.map(({ kind }) => kind);
      const closed = kinds.filter((kind) => kind === 'circuit-closed');
      expect(closed).toHaveLength(kinds.filter((kind) => kind === 'circuit-opened').length);
      // What waited begins oldest first, but for those that are under way at the same time.
      const begun = world.calls.filter(({ id }) => waiting.some((one) => one.id === id && one.attempts.length === 0));
      expectOldestFirst(begun.map(({ id }) => id));
    },
  );

  it('given up after days are held, and sent when the endpoint is made active', async () => {
    const world = deliveryWorld(6, undefined, { rules: quick });
    await world.open();
    for (const [place, target] of [{ type: 'PAYIN' as const }, { endpoint }].entries())
      for (let n = 0; n < 10; n += 1)
        world.notifyAt((n * 2 + place) * 10_000, `d-${place}-${n}`, target, () => ({ ok: true, ms: 5 }));
    world.behave(endpoint, 'fails');
    await world.time.run(3 * 60 * minuteMs);
    expect(world.healthEvents.at(-1)?.kind).toBe('endpoint-disabled');
    const statuses = () => new Set(world.deliveries().map(({ status }) => status));
    expect(statuses()).toEqual(new Set(['HELD', 'FAILED']));
    world.behave(endpoint, 'answers');
    world.time.at(world.time.now(), () => void world.setEndpoint('ACTIVE'));
    await world.time.run(4 * 60 * minuteMs);
    expect(statuses()).toEqual(new Set(['DELIVERED', 'FAILED']));
  });
});

describe('deliveries of a subscription that leaves an address', () => {
  const own = { endpoint: other, subscription: 'sub' };
  it.each([
    ['is down', (world: World) => world.changeHealth((health, at) => givenDown(health, at))],
    ['is held', (world: World) => until(() => world.operate('hold', other))],
  ])('go to the new address within a minute, before 200 waiting ones, when the old address %s', async (_how, stop) => {
    const world = deliveryWorld(12);
    await world.open();
    await world.subscribe('sub', other);
    world.time.at(0, () => void stop(world));
    for (let place = 0; place < 200; place += 1) world.notifyAt(1000 + place, `d-${place}`, { endpoint: other });
    world.notifyAt(2000, 'own', own);
    world.behave(other, 'fails');
    await world.time.run(minuteMs / 2);
    expect(world.calls).toEqual([]);
    world.time.at(world.time.now(), () => void world.readdress('sub', moved));
    await world.time.run(1.5 * minuteMs);
    expect(world.calls.filter(({ id }) => id === 'own')).toMatchObject([{ address: moved, ok: true }]);
    expect(world.deliveries().filter(({ status }) => status === 'DELIVERED')).toMatchObject([{ id: 'own' }]);
    // Both passes of the search are made: it is over.
    await world.time.run(4 * minuteMs);
    const { backlogs } = await world.health();
    expect(backlogs.filter(({ readdressedAt }) => readdressedAt !== undefined)).toEqual([]);
  });
});

function givenDown(health: CompanyHealth, at: string): CompanyHealth {
  return changeCircuit(health, 'address', other, true, at, (one) =>
    openCircuit(one, { now: at, failingSince: at, reason: 'HTTP 500' }, circuitRules),
  );
}

function expectOldestFirst(ids: readonly string[]): void {
  const sorted = ids.toSorted();
  ids.forEach((id, place) => {
    expect(Math.abs(sorted.indexOf(id) - place)).toBeLessThan(limits.perEndpoint);
  });
}

function expectSound(delivery: Delivery, world: World): void {
  const { id, status, attempts } = delivery;
  const charges = countedFailures(delivery);
  expect(['DELIVERED', 'FAILED']).toContain(status);
  expect(charges).toBeLessThanOrEqual(5);
  expect(status === 'FAILED').toBe(charges === 5);
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, place) => place + 1));
  expect(attempts.filter(({ outcome }) => outcome === 'DELIVERED')).toHaveLength(status === 'DELIVERED' ? 1 : 0);

  const calls = world.calls.filter((call) => call.id === id);
  expect(new Set(calls.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
  // A call belongs to the last claim before it. One call a claim, and what is recorded is what happened; only of an
  // unknown end nothing is known.
  const claims = attempts.map(({ at }) => Date.parse(at) - startMs);
  const callsOf = (place: number): Call[] =>
    calls.filter((call) => call.startMs >= (claims[place] ?? 0) && call.startMs < (claims[place + 1] ?? Infinity));
  attempts.forEach(({ outcome }, place) => {
    const attemptCalls = callsOf(place);
    expect(attemptCalls.length).toBeLessThanOrEqual(1);
    if (outcome === 'UNKNOWN') return;
    expect(attemptCalls.map((call) => call.ok && call.endMs - call.startMs < 10_000)).toEqual([
      outcome === 'DELIVERED',
    ]);
  });
  expect(calls).toHaveLength(attempts.flatMap((_, place) => callsOf(place)).length);
  calls.slice(1).forEach((call, place) => {
    expect(call.startMs).toBeGreaterThanOrEqual(calls[place]?.endMs ?? 0);
  });
  attempts.slice(1).forEach(({ at }, place) => {
    const before = attempts.slice(0, place + 1);
    if (before.at(-1)?.outcome !== 'FAILED') return;
    const waited = (Date.parse(at) - Date.parse(before.at(-1)?.at ?? '')) / 1000;
    // A release sends immediately, without the rest of a wait; it needs the delivery to have been held.
    if (!world.held.has(id))
      expect(waited).toBeGreaterThanOrEqual((delays[countedFailures({ attempts: before }) - 1] ?? 0) - 1);
  });
}
