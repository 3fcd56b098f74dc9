import { describe, expect, it } from 'vitest';
import { openCircuit } from '#shared/webhooks/health/circuit.ts';
import { afterSlow, changeCircuit } from '#shared/webhooks/health/health.ts';
import { quantile } from '#test/bench/page.ts';
import { circuitRules } from '#test/support/circuit.ts';
import { deliveryWorld, endpoint, mostAtOnce } from '#test/model/delivery-world.ts';

const secondMs = 1000;
/** Figures for the decision record: `SHOW=1`. */
const show = (...figures: readonly unknown[]): void => {
  if (process.env['SHOW'] !== undefined) process.stderr.write(`${figures.join(' ')}\n`);
};

describe('a host with fifty addresses', () => {
  it.each([
    ['18 a second and answers in 50 ms', 18, 50],
    ['40 a second and answers in 50 ms', 40, 50],
    ['40 a second and answers in 0.9 s', 40, 900],
    ['40 a second and answers in 1.5 s', 40, 1500],
  ])('gets what is for its other addresses when five hang, with %s', async (_name, perSecond, ms) => {
    const world = deliveryWorld(9);
    await world.open();
    const addressOf = (place: number): string => `https://partner.example/hook?subscription=${place % 50}`;
    world.behave('https://partner.example', { ms });
    for (let place = 0; place < 5; place += 1) world.behave(addressOf(place), 'hangs');
    const count = 50 * perSecond;
    const stepMs = secondMs / perSecond;
    for (let place = 0; place < count; place += 1)
      world.notifyAt(place * stepMs, `d-${place}`, { endpoint: addressOf(place) });
    await world.time.run(120 * secondMs);
    const waits = world.calls.filter(({ ok }) => ok).map(({ id, startMs }) => startMs - Number(id.slice(2)) * stepMs);
    show(
      'five of fifty hang',
      perSecond,
      'a second,',
      ms,
      'ms: p50',
      quantile(waits, 0.5),
      'p99',
      quantile(waits, 0.99),
    );
    expect(waits).toHaveLength(0.9 * count);
    // No longer than one call that times out.
    expect(quantile(waits, 0.99)).toBeLessThan(10 * secondMs);
  });

  it('gets what is for its other addresses when all that waits at first is for addresses that hang', async () => {
    const world = deliveryWorld(9);
    await world.open();
    const addressOf = (place: number): string => `https://partner.example/hook?subscription=${place}`;
    for (let place = 0; place < 5; place += 1) {
      world.behave(addressOf(place), 'hangs');
      await world.changeHealth((health, at) => afterSlow(health, addressOf(place), true, at));
    }
    for (let place = 0; place < 100; place += 1)
      world.notifyAt(place, `h-${place}`, { endpoint: addressOf(place % 5) });
    for (let place = 0; place < 200; place += 1)
      world.notifyAt(2000 + place * 50, `d-${place}`, { endpoint: addressOf(5 + (place % 45)) });
    await world.time.run(90 * secondMs);
    const waits = world.calls
      .filter(({ ok }) => ok)
      .map(({ id, startMs }) => startMs - 2000 - Number(id.slice(2)) * 50);
    show('after hanging ones: p50', quantile(waits, 0.5), 'p99', quantile(waits, 0.99));
    expect(waits).toHaveLength(200);
    expect(quantile(waits, 0.99)).toBeLessThan(3 * secondMs);
  });

  it('is back with the first probe when five addresses still hang', async () => {
    const world = deliveryWorld(9);
    await world.open();
    const addressOf = (place: number): string => `https://partner.example/hook?subscription=${place}`;
    const at = world.clock();
    await world.changeHealth((health) => {
      const open = changeCircuit(health, 'origin', endpoint, true, at, (one) =>
        openCircuit(one, { now: at, failingSince: at, reason: 'TIMEOUT' }, circuitRules),
      );
      return [0, 1, 2, 3, 4].reduce((known, place) => afterSlow(known, addressOf(place), true, at), open);
    });
    for (let place = 0; place < 5; place += 1) world.behave(addressOf(place), 'hangs');
    for (let place = 0; place < 100; place += 1)
      world.notifyAt(place, `d-${place}`, { endpoint: addressOf(place % 50) });
    await world.time.run(120 * secondMs);
    const answered = world.calls.filter(({ ok }) => ok);
    show('after the first probe', answered.length, 'last at', Math.max(...answered.map(({ startMs }) => startMs)));
    expect(answered).toHaveLength(90);
    expect(Math.max(...answered.map(({ startMs }) => startMs))).toBeLessThan(75 * secondMs);
  });

  it('a host that answered gets few calls at once when it hangs at all its addresses, and its circuit opens', async () => {
    const world = deliveryWorld(9);
    await world.open();
    const addressOf = (place: number): string => `https://partner.example/hook?subscription=${place % 100}`;
    for (let place = 0; place < 5; place += 1) world.behave(addressOf(place), { ms: 1500 });
    for (let place = 0; place < 3000; place += 1)
      world.notifyAt(place * 50, `d-${place}`, { endpoint: addressOf(place) });
    await world.time.run(30 * secondMs);
    world.behave('https://partner.example', 'hangs');
    for (let place = 0; place < 5; place += 1) world.behave(addressOf(place), 'hangs');
    await world.time.run(150 * secondMs);
    const hung = world.calls.filter(({ startMs }) => startMs >= 30 * secondMs);
    show('hangs after it answered: calls', hung.length, 'at once', mostAtOnce(hung));
    expect(mostAtOnce(hung)).toBeLessThanOrEqual(60);
    expect((await world.health()).circuits).toContainEqual(
      expect.objectContaining({ url: 'https://partner.example', state: 'OPEN' }),
    );
  });
});
