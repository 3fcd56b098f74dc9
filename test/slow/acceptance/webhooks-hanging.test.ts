import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { needs } from '#test/support/environment.ts';
import { hang } from '#test/support/misbehaving.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { isAbout } from '#test/acceptance/notifications.ts';
import { activeAccount, first, useReceiver } from '#test/acceptance/partners.ts';
import { journey2 } from '#test/acceptance/samples.ts';

const inbox = useReceiver();

const seconds = 7;
/** Notifications a second: two to each of the five endpoints that hang, which fills fifty workers in five seconds. */
const toHanging = 10;
const toHealthy = 8;
const createdAtOnce = 16;
/**
 * Relay and notifier look for work a few times a second, and the machine runs other things: so much is chance and not a
 * queue. Without a bound those who wait for a worker wait for seconds.
 */
const floorMs = 2500;

type OutboxEntry = { readonly id: string; readonly events: Inbox };

/** Subscriptions whose rejection is notified to these addresses, each in turn. */
async function given(endpoints: readonly Inbox[], count: number): Promise<OutboxEntry[]> {
  const entries: OutboxEntry[] = [];
  while (entries.length < count) {
    const some = Array.from(
      { length: Math.min(createdAtOnce, count - entries.length) },
      (_, place) => entries.length + place,
    );
    const creations = some.map(async (place) => {
      const events = endpoints[place % endpoints.length]!;
      const body = journey2(activeAccount(first).id, { webhookUrl: events.url });
      return { id: (await first.call(CreateSubscription, { body })).body.id, events };
    });
    entries.push(...(await Promise.all(creations)));
  }
  return entries;
}

/** Rejects as many of them in each second; when each move was answered. */
async function reject(entries: readonly OutboxEntry[]): Promise<ReadonlyMap<string, number>> {
  const answeredAt = new Map<string, number>();
  const moves = entries.map(async ({ id }, place) => {
    await sleep(((place % seconds) + place / entries.length) * 1000);
    await first.call(ForceSubscriptionStatus, { body: { id, status: 'REJECTED' } });
    answeredAt.set(id, Date.now());
  });
  await Promise.all(moves);
  return answeredAt;
}

/** From the answer of the move to the first byte at the receiver, milliseconds: of a hundred, the slowest but one. */
async function p99(entries: readonly OutboxEntry[], answeredAt: ReadonlyMap<string, number>): Promise<number> {
  const waits = entries.map(async ({ id, events }) => {
    const [one] = await events.until(isAbout(id));
    return (one?.at ?? Infinity) - (answeredAt.get(id) ?? 0);
  });
  const sorted = (await Promise.all(waits)).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity;
}

test('five endpoints that hang do not delay the notifications of 45 others', async (context) => {
  needs(context, 'latency', 'in a slow environment the waits of deliveries cannot be measured');
  const endpoints = Array.from({ length: 50 }, (_, place) => inbox(`endpoint-${place}`));
  const [hanging, healthy] = [endpoints.slice(0, 5), endpoints.slice(5)];
  const before = await given(endpoints, seconds * (toHanging + toHealthy));
  const stuck = await given(hanging, seconds * toHanging);
  const others = await given(healthy, seconds * toHealthy);

  // Functions that start for the first time would make the normal longer than it is.
  const warm = await given(endpoints, endpoints.length);
  await p99(warm, await reject(warm));
  const normalMs = await p99(before, await reject(before));
  for (const events of hanging) events.reply(hang);
  const stalls = monitorEventLoopDelay();
  stalls.enable();
  const [answeredAt] = await Promise.all([reject(others), reject(stuck)]);
  const besideMs = await p99(others, answeredAt);
  stalls.disable();
  // What this process was held up for, the service's processes were, too: the machine is one.
  const stalledMs = stalls.max / 1e6;
  expect(besideMs).toBeLessThanOrEqual(2 * normalMs + floorMs + 2 * stalledMs);

  // They answer again: everything is sent to them once more or for the first time, and nothing was lost.
  const againAt = Date.now();
  for (const events of hanging) events.reply({ kind: 'ok' });
  await Promise.all(
    stuck.map(({ id, events }) => events.until((one) => isAbout(id)(one) && one.at >= againAt, 1, 200_000)),
  );
});
