import { describe, expect, it } from 'vitest';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { pausedReasonOf } from '#shared/platform/outbox/delivery.ts';
import { countedFailures } from '#shared/webhooks/deliveries/states.ts';
import { parseDeliveryMessage } from '#shared/webhooks/dispatch/queue.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { parseBacklog } from '#shared/webhooks/backlog/store.ts';
import type { CircuitRules } from '#shared/webhooks/health/circuit.ts';
import { fc } from '#test/support/properties.ts';
import { circuitRules } from '#test/support/circuit.ts';
import type { Answer, Call } from '#test/model/delivery-world.ts';
import { delays, deliveryWorld, endpoint, startMs } from '#test/model/delivery-world.ts';

const minuteMs = 60_000;
const chaosMs = 120 * minuteMs;
const patienceMs = 4 * 24 * 60 * minuteMs;

type World = ReturnType<typeof deliveryWorld>;

const deliveriesOf = (world: World): Delivery[] => {
  return world
    .items()
    .filter((item) => item['entity'] === 'DELIVERY')
    .map(parseDelivery);
};
const linesOf = (world: World) =>
  world
    .items()
    .filter((item) => item['entity'] === 'BACKLOG')
    .map(parseBacklog);
const lettersOf = (world: World) => [...world.queue.dead.values()].map(({ body }) => parseDeliveryMessage(body));

/** Receivers of every temper: quick, slow, failing some times, always, or by chance. */
function temper(chance: () => number): Answer {
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
};

/** Hours of trouble, then peace until nothing is left to do. */
async function live({ seed, intensity, graceSeconds, rules }: Chaos): Promise<World> {
  const faults = { crash: 0.03 * intensity, unavailable: 0.04 * intensity, indexLag: 0.2 * intensity };
  const world = deliveryWorld(seed, faults, graceSeconds, rules);
  await world.open();
  const { chance, time } = world;
  for (let place = 0; place < 14; place += 1) {
    const target = place % 4 === 3 ? { endpoint: other } : { type: 'PAYIN' as const };
    const answer = temper(chance);
    // Where circuits open retrySoon, those that never answer would keep the endpoint down for the others for ever.
    const isWell = (): boolean => rules === quick && time.now() >= chaosMs;
    world.notifyAt(chance() * 60 * minuteMs, `d-${place}`, target, () => (isWell() ? { ok: true, ms: 5 } : answer()));
  }
  const sometime = (what: () => unknown): void => {
    time.at(chance() * 0.9 * chaosMs, () => void what());
  };
  for (let toggles = 0; toggles < 4; toggles += 1)
    sometime(() => world.setEndpoint(toggles % 2 === 0 ? 'INACTIVE' : 'ACTIVE'));
  for (const address of [endpoint, other, undefined])
    for (const does of ['hold', 'release'] as const) if (chance() < 0.4) sometime(() => world.operate(does, address));
  for (const address of [endpoint, other])
    for (const how of ['fails', 'answers', 'hangs'] as const)
      if (chance() < 0.6)
        sometime(() => {
          world.setDown(address, how);
        });
  if (chance() < 0.3) time.at(chance() * chaosMs, world.restart);
  await time.run(chaosMs);
  world.calm();
  let isPeace = false;
  const makePeace = async (): Promise<void> => {
    for (const address of [endpoint, other]) world.setDown(address, 'answers');
    for (const address of [undefined, endpoint, other]) await until(() => world.operate('release', address));
    await until(() => world.setEndpoint('ACTIVE'));
    isPeace = true;
  };
  time.at(chaosMs, () => void makePeace());
  const isOver = (): boolean =>
    isPeace &&
    world.queue.messages.size === 0 &&
    deliveriesOf(world).every(({ status }) => status === 'DELIVERED' || status === 'FAILED');
  await time.run(chaosMs + patienceMs, isOver);
  // Letters that became stale in the last moment are found by the next look at all of them, backlogs that are empty
  // end.
  await time.run(time.now() + 30 * minuteMs);
  return world;
}

async function until(does: () => Promise<boolean>): Promise<void> {
  while (!(await does()));
}

describe('deliveries under crashes, duplicates, reordering and receivers of every temper', () => {
  it('are never lost, fail at most five times, and are dead-lettered exactly once if they failed', async () => {
    // From a sweep that overtakes the queue to one that finds messages long dead.
    const grace = fc.constantFrom(60, 300, 1800);
    const intensities = fc.constantFrom(0, 0.3, 1, 2, 6);
    const rules = fc.constantFrom(circuitRules, quick, quick);
    await fc.assert(
      fc.asyncProperty(
        fc.record({ seed: fc.integer({ min: 0, max: 2 ** 31 }), intensity: intensities, graceSeconds: grace, rules }),
        async (chaos) => {
          const world = await live(chaos);
          const deliveries = deliveriesOf(world);
          expect(deliveries).toHaveLength(14);
          for (const delivery of deliveries) expectSound(delivery, world);
          const failed = deliveries.filter(({ status }) => status === 'FAILED').map(({ id }) => id);
          expect(
            lettersOf(world)
              .map((deadLetter) => deadLetter?.deliveryId)
              .sort(),
          ).toEqual(failed.sort());
          // No backlog is left in which somebody waits, or that somebody has to look after.
          const backlogs = linesOf(world);
          expect(backlogs.filter(({ inFlight, dueAt, open, held }) => inFlight ?? dueAt ?? open ?? held)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('deliveries while everything works', () => {
  it('are called five times at once and after 1, 5, 15 and 30 minutes, by one message that becomes the dead letter', async () => {
    const world = deliveryWorld(7, { crash: 0, unavailable: 0, indexLag: 0 });
    await world.open();
    world.calm();
    world.notifyAt(1000, 'd-1', { type: 'PAYIN' }, () => ({ ok: false, ms: 100 }));
    await world.time.run(3 * 60 * minuteMs);
    const [delivery] = deliveriesOf(world);
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

  it.each([1, 2, 3, 4, 5])('are called %i times when that one succeeds, and leave no letter', async (times) => {
    const world = deliveryWorld(times, { crash: 0, unavailable: 0, indexLag: 0 });
    await world.open();
    world.calm();
    let calls = 0;
    world.notifyAt(1000, 'd-1', { type: 'PAYIN' }, () => ({ ok: (calls += 1) === times, ms: 100 }));
    await world.time.run(3 * 60 * minuteMs);
    expect(deliveriesOf(world)).toMatchObject([{ status: 'DELIVERED', dispatch: 1 }]);
    expect(world.calls).toHaveLength(times);
    expect(world.queue.dead.size + world.queue.messages.size).toBe(0);
  });

  it('are held without an endpoint, and sent oldest first when there is one', async () => {
    const world = deliveryWorld(11, { crash: 0, unavailable: 0, indexLag: 0 });
    await world.open();
    world.calm();
    world.time.at(0, () => void world.setEndpoint('INACTIVE'));
    for (let place = 0; place < 60; place += 1)
      world.notifyAt((2 + place) * 1000, `d-${place}`, { type: 'PAYIN' }, () => ({ ok: true, ms: 1 }));
    await world.time.run(5 * minuteMs);
    expect(new Set(deliveriesOf(world).map(({ status }) => status))).toEqual(new Set(['HELD']));
    expect(world.calls).toHaveLength(0);
    world.time.at(world.time.now(), () => void world.setEndpoint('ACTIVE'));
    await world.time.run(10 * minuteMs);
    expect(deliveriesOf(world).every(({ status }) => status === 'DELIVERED')).toBe(true);
    expect(world.calls).toHaveLength(60);
    expect(world.calls.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, n) => `d-${n}`));
    for (const [place, { startMs }] of world.calls.entries())
      expect(startMs).toBeGreaterThanOrEqual(world.calls[place - 1]?.endMs ?? 0);
    expect(
      linesOf(world).flatMap(({ inFlight, dueAt, releasedAt }) => [inFlight ?? dueAt ?? releasedAt ?? []].flat()),
    ).toEqual([]);
  });
});

describe('deliveries to an endpoint that fails for three hours', () => {
  it.each(['fails', 'hangs'] as const)('(it %s) lose nothing that came after the circuit opened', async (how) => {
    const world = deliveryWorld(5, { crash: 0, unavailable: 0, indexLag: 0 });
    await world.open();
    world.calm();
    const good: Answer = () => ({ ok: true, ms: 50 });
    for (let place = 0; place < 400; place += 1)
      world.notifyAt(place * 30_000, `d-${String(place).padStart(3, '0')}`, { type: 'PAYIN' }, good);
    world.setDown(endpoint, how);
    world.time.at(180 * minuteMs, () => {
      world.setDown(endpoint, 'answers');
    });
    await world.time.run(170 * minuteMs);
    const opened = world.lineEvents.find(({ kind }) => kind === 'circuit-opened')?.backlog.open;
    const openedMs = Date.parse(opened?.at ?? '') - startMs;
    const isLater = ({ createdAt }: Delivery): boolean => Date.parse(createdAt) - startMs > openedMs;
    const isSettled = ({ createdAt }: Delivery): boolean => Date.parse(createdAt) - startMs < 169 * minuteMs;
    const waiting = deliveriesOf(world).filter((one) => isLater(one) && isSettled(one));
    expect(waiting.length).toBeGreaterThan(100);
    for (const delivery of waiting) {
      expect(pausedReasonOf(delivery)).toBe('ENDPOINT_FAILING');
      expect(countedFailures(delivery)).toBeLessThanOrEqual(1);
    }
    const probes = world.calls.filter(({ startMs: ms }) => ms > openedMs + 60 * minuteMs);
    expect(probes.length).toBeLessThanOrEqual(8);
    await world.time.run(6 * 60 * minuteMs);
    expect(
      deliveriesOf(world)
        .filter(isLater)
        .every(({ status }) => status === 'DELIVERED'),
    ).toBe(true);
    expect(world.lineEvents.filter(({ kind }) => kind === 'circuit-closed')).toHaveLength(1);
    // What waited is sent in the order in which it happened, one after the other; only what came later goes beside it.
    const closedMs = world.calls.find(({ ok, endMs, startMs: ms }) => ok && endMs - ms < 10_000)?.startMs ?? 0;
    const caughtUp = world.calls.filter(({ id, startMs: ms }) => ms > closedMs && waiting.some((one) => one.id === id));
    expect(caughtUp.map(({ id }) => id)).toEqual(caughtUp.map(({ id }) => id).sort());
    for (const [place, { startMs: ms }] of caughtUp.entries())
      expect(ms).toBeGreaterThanOrEqual(caughtUp[place - 1]?.endMs ?? 0);
  });

  it('given up after days are held, and sent when the endpoint is made active', async () => {
    const world = deliveryWorld(6, { crash: 0, unavailable: 0, indexLag: 0 }, 300, quick);
    await world.open();
    world.calm();
    for (const [place, target] of [{ type: 'PAYIN' as const }, { endpoint }].entries())
      for (let n = 0; n < 10; n += 1)
        world.notifyAt((n * 2 + place) * 10_000, `d-${place}-${n}`, target, () => ({ ok: true, ms: 5 }));
    world.setDown(endpoint, 'fails');
    await world.time.run(3 * 60 * minuteMs);
    expect(world.lineEvents.at(-1)?.kind).toBe('endpoint-disabled');
    const statuses = () => new Set(deliveriesOf(world).map(({ status }) => status));
    expect(statuses()).toEqual(new Set(['HELD', 'FAILED']));
    world.setDown(endpoint, 'answers');
    world.time.at(world.time.now(), () => void world.setEndpoint('ACTIVE'));
    await world.time.run(4 * 60 * minuteMs);
    expect(statuses()).toEqual(new Set(['DELIVERED', 'FAILED']));
  });
});

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
    const made = callsOf(place);
    expect(made.length).toBeLessThanOrEqual(1);
    if (outcome === 'UNKNOWN') return;
    expect(made.map((call) => call.ok && call.endMs - call.startMs < 10_000)).toEqual([outcome === 'DELIVERED']);
  });
  expect(calls).toHaveLength(attempts.flatMap((_, place) => callsOf(place)).length);
  calls.slice(1).forEach((call, place) => {
    expect(call.startMs).toBeGreaterThanOrEqual(calls[place]?.endMs ?? 0);
  });
  attempts.slice(1).forEach(({ at }, place) => {
    const before = attempts.slice(0, place + 1);
    if (before.at(-1)?.outcome !== 'FAILED') return;
    const waited = (Date.parse(at) - Date.parse(before.at(-1)?.at ?? '')) / 1000;
    // A release sends at once, whatever was waited for; it needs the delivery to have been held.
    if (!world.held.has(id))
      expect(waited).toBeGreaterThanOrEqual((delays[countedFailures({ attempts: before }) - 1] ?? 0) - 1);
  });
}
