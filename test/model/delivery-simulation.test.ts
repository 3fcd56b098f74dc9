import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { chargesOf } from '../../shared/domain/delivery-moves.ts';
import { parseDeliveryMessage } from '../../shared/notifications/delivery-message.ts';
import { parseDelivery } from '../../shared/persistence/delivery-items.ts';
import type { Answer, Call } from './delivery-world.ts';
import { delays, deliveryWorld, startMs } from './delivery-world.ts';

const minuteMs = 60_000;
const chaosMs = 120 * minuteMs;
const patienceMs = 4 * 24 * 60 * minuteMs;

type World = ReturnType<typeof deliveryWorld>;

export const deliveriesOf = (world: World): Delivery[] => {
  return world
    .items()
    .filter((item) => item['entity'] === 'DELIVERY')
    .map(parseDelivery);
};
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

/** Hours of trouble, then peace until nothing is left to do. */
export async function live(seed: number, intensity: number, graceSeconds: number): Promise<World> {
  const faults = { crash: 0.03 * intensity, unavailable: 0.04 * intensity, indexLag: 0.2 * intensity };
  const world = deliveryWorld(seed, faults, graceSeconds);
  await world.open();
  for (let place = 0; place < 8; place += 1) {
    const target = place % 4 === 3 ? { endpoint: 'https://other.example/' } : { type: 'PAYIN' as const };
    world.notifyAt(world.chance() * 30 * minuteMs, `d-${place}`, target, temper(world.chance));
  }
  for (let toggles = 0; toggles < 4; toggles += 1)
    world.time.at(
      world.chance() * 0.9 * chaosMs,
      () => void world.setEndpoint(toggles % 2 === 0 ? 'INACTIVE' : 'ACTIVE'),
    );
  if (world.chance() < 0.3) world.time.at(world.chance() * chaosMs, world.restart);
  await world.time.run(chaosMs);
  world.calm();
  let isActive = false;
  world.time.at(chaosMs, () => void world.setEndpoint('ACTIVE').then(() => (isActive = true)));
  const isOver = (): boolean =>
    isActive &&
    world.queue.messages.size === 0 &&
    deliveriesOf(world).every(({ status }) => status === 'DELIVERED' || status === 'FAILED');
  await world.time.run(chaosMs + patienceMs, isOver);
  // Letters that became stale in the last moment are found by the next look at all of them.
  await world.time.run(world.time.now() + 15 * minuteMs);
  return world;
}

describe('deliveries under crashes, duplicates, reordering and receivers of every temper', () => {
  it('are none lost, charged at most five attempts, and dead-lettered exactly once if they failed', async () => {
    // From a sweep that overtakes the queue to one that finds messages long dead.
    const grace = fc.constantFrom(60, 300, 1800);
    const intensities = fc.constantFrom(0, 0.3, 1, 2, 6);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), intensities, grace, async (seed, intensity, seconds) => {
        const world = await live(seed, intensity, seconds);
        const deliveries = deliveriesOf(world);
        expect(deliveries).toHaveLength(8);
        for (const delivery of deliveries) expectSound(delivery, world);
        const failed = deliveries.filter(({ status }) => status === 'FAILED').map(({ id }) => id);
        expect(
          lettersOf(world)
            .map((letter) => letter?.deliveryId)
            .sort(),
        ).toEqual(failed.sort());
      }),
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
    expect(delivery).toMatchObject({ status: 'FAILED', sending: 1, carrier: 'm-1' });
    expect(lettersOf(world)).toMatchObject([{ deliveryId: 'd-1', sending: 1 }]);
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
    expect(deliveriesOf(world)).toMatchObject([{ status: 'DELIVERED', sending: 1 }]);
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
    // The first 25 go with the change of settings itself, the rest with the next sweep.
    expect(new Set(world.calls.slice(0, 25).map(({ id }) => id))).toEqual(
      new Set(Array.from({ length: 25 }, (_, n) => `d-${n}`)),
    );
    expect(world.items().some((item) => item['entity'] === 'HELD_RELEASE')).toBe(false);
  });
});

function expectSound(delivery: Delivery, world: World): void {
  const { id, status, attempts } = delivery;
  const charges = chargesOf(delivery);
  expect(['DELIVERED', 'FAILED']).toContain(status);
  expect(charges).toBeLessThanOrEqual(5);
  expect(status === 'FAILED').toBe(charges === 5);
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, place) => place + 1));
  expect(attempts.filter(({ outcome }) => outcome === 'DELIVERED')).toHaveLength(status === 'DELIVERED' ? 1 : 0);

  const calls = world.calls.filter((call) => call.id === id);
  expect(new Set(calls.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
  // A call belongs to the last claim before it. One call a claim, and what is recorded is what happened; only of an unknown
  // end nothing is known.
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
      expect(waited).toBeGreaterThanOrEqual((delays[chargesOf({ attempts: before }) - 1] ?? 0) - 1);
  });
}
