import { expect, it } from 'vitest';
import { countedFailures } from '#shared/webhooks/deliveries/states.ts';
import { maxSlots } from '#shared/webhooks/health/circuit.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { circuitRules } from '../support/circuit.ts';
import { deliveryWorld, endpoint } from './delivery-world.ts';

const minuteMs = 60_000;
const none = { crash: 0, unavailable: 0, indexLag: 0 };
/** Never opens: the bulkhead alone has to hold. */
const noCircuit = { ...circuitRules, failures: 100_000, timeouts: 100_000 };
/**
 * Who has the turn, and what begins in the second in which nobody knows yet that a call hangs: here a first attempt and
 * two retries. Without the bulkhead there are 16 and 25 at once.
 */
const beside = 4;

/**
 * A notification a second to an address that hangs for five minutes, and how many of its calls were ever open at once.
 */
async function hangs(rules: typeof circuitRules) {
  const world = deliveryWorld(11, none, 300, rules);
  world.queue.employ(50);
  await world.open();
  world.calm();
  for (let place = 0; place < 240; place += 1)
    world.notifyAt(place * 1000, `d-${String(place).padStart(3, '0')}`, { type: 'PAYIN' }, () => ({
      ok: true,
      ms: 50,
    }));
  world.setDown(endpoint, 'hangs');
  world.time.at(5 * minuteMs, () => {
    world.setDown(endpoint, 'answers');
  });
  await world.time.run(5 * minuteMs);
  const atOnce = world.calls.map(
    ({ startMs: ms }) => world.calls.filter(({ startMs, endMs }) => startMs <= ms && endMs > ms).length,
  );
  await world.time.run(24 * 60 * minuteMs);
  const deliveries = world.items().flatMap((item) => (item['entity'] === 'DELIVERY' ? [parseDelivery(item)] : []));
  return { world, deliveries, most: Math.max(...atOnce) };
}

it.each([
  ['before its circuit opens', circuitRules],
  ['retries included, where no circuit opens', noCircuit],
])('an endpoint that hangs has few calls at once, %s, and loses nothing', async (_when, rules) => {
  const { world, deliveries, most } = await hangs(rules);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(maxSlots + beside);
  expect(deliveries).toHaveLength(240);
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['DELIVERED']));
  for (const delivery of deliveries) {
    const calls = world.calls.filter(({ id }) => id === delivery.id);
    expect(calls).toHaveLength(delivery.attempts.length);
    expect(countedFailures(delivery)).toBeLessThan(5);
  }
});
