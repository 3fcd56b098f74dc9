import { expect, it } from 'vitest';
import type { Item } from '#shared/platform/table/store.ts';
import { repetitionChecks } from '#test/simulation/checks/repetitions.ts';
import { expiryOf } from '#test/simulation/world/expiry.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { beginsAt, drawsOf } from './bank-books.ts';
import { simulatedQueue } from './simulated-queue.ts';
import { chances, virtualTime } from './virtual-time.ts';

/** Parts of the simulated world that its lives alone would show too late. */

const hour = 3_600_000;

it('a simulated queue delivers no message while its maximum of messages is in flight', async () => {
  const time = virtualTime();
  const options = { visibilityMs: hour, consumers: 5, batchSize: 1, mostInFlight: 2 };
  const queue = simulatedQueue(time, chances(1), () => true, options);
  const received: string[] = [];
  queue.consumeWith((batch) => {
    for (const { id, body } of batch) {
      received.push(body);
      if (body === 'b') queue.delete(id);
    }
    return Promise.resolve();
  });
  for (const body of ['a', 'b', 'c', 'd', 'e']) queue.send(body, 'group', 0);
  await time.run(hour / 2);
  expect(received, 'a deleted message frees capacity, a hidden one does not').toEqual(['a', 'b', 'c']);
  await time.run(1.5 * hour);
  expect(received.slice(3, 5), 'a message that is visible again frees capacity').toEqual(['d', 'e']);
});

it('a simulated queue drops a message after its retention, and without dead letters receives it until then', async () => {
  const time = virtualTime();
  const options = { visibilityMs: 60_000, consumers: 5, batchSize: 1, retentionMs: hour, mostReceives: Infinity };
  const queue = simulatedQueue(time, chances(1), () => true, options);
  let receives = 0;
  queue.consumeWith(() => {
    receives += 1;
    return Promise.resolve();
  });
  queue.send('never deleted', 'group', 0);
  await time.run(hour - 1);
  expect(receives).toBe(60);
  await time.run(3 * hour);
  expect([receives, queue.messages.size, queue.dead.size]).toEqual([60, 0, 0]);
});

it('a simulated queue that gathers delivers messages of one moment in one batch', async () => {
  const time = virtualTime();
  const options = { visibilityMs: hour, consumers: 5, batchSize: 10, gathersMs: 20 };
  const queue = simulatedQueue(time, chances(1), () => true, options);
  const batches: string[] = [];
  queue.consumeWith((batch) => {
    batches.push(batch.map(({ body }) => body).join(''));
    return Promise.resolve();
  });
  for (const body of ['a', 'b', 'c']) queue.send(body, 'group', 0);
  await time.run(1000);
  queue.send('d', 'group', 0);
  await time.run(2000);
  expect(batches).toEqual(['abc', 'd']);
});

it('a simulated queue delivers copies of any message of a batch, also of a deleted one, while it is not reliable', async () => {
  const time = virtualTime();
  let isReliable = true;
  const options = {
    visibilityMs: hour,
    consumers: 100,
    batchSize: 10,
    gathersMs: 20,
    doubled: 0.4,
    mostReceives: Infinity,
  };
  const queue = simulatedQueue(time, chances(1), () => isReliable, { ...options, copiesWithinMs: 60_000 });
  const received: [body: string, at: number][] = [];
  queue.consumeWith(async (batch) => {
    for (const { body } of batch) received.push([body, time.now()]);
    await time.sleep(100);
    for (const { id } of batch) queue.delete(id);
  });
  const bodies = Array.from({ length: 40 }, (_, place) => `${place % 10} ${place}`);
  for (const body of bodies) queue.send(body, 'group', 0);
  await time.run(100_000);
  expect(received, 'a reliable queue has no copies').toHaveLength(40);
  isReliable = false;
  received.length = 0;
  for (const body of bodies) queue.send(body, 'group', 0);
  await time.run(200_000);
  const copies = received.slice(40).map(([, at]) => at - 100_000);
  expect(copies.length).toBeGreaterThan(8);
  expect(new Set(received.slice(40).map(([body]) => body[0])).size).toBeGreaterThan(4);
  expect(Math.min(...copies), 'beside its message').toBeLessThan(100);
  expect(Math.max(...copies), 'after it was deleted').toBeGreaterThan(10_000);
  await time.run(hour);
  expect(queue.messages.size).toBe(0);
});

it('a simulated queue has the counts of its last minute: what waited, and what was in work', async () => {
  const time = virtualTime();
  const queue = simulatedQueue(time, chances(1), () => true, { visibilityMs: hour, consumers: 1, batchSize: 1 });
  queue.consumeWith(async (batch) => {
    await time.sleep(20_000);
    for (const { id } of batch) queue.delete(id);
  });
  const counts = (agoMs: number): readonly number[] => {
    const { waiting, inWork } = queue.countBefore(agoMs);
    return [waiting, inWork];
  };
  await time.run(60_000);
  for (const body of ['a', 'b', 'c']) queue.send(body, 'group', 0);
  await time.run(110_000);
  expect([55_000, 45_000, 25_000, 0].map(counts)).toEqual([
    ...[
      [0, 0],
      [2, 1],
      [1, 1],
      [0, 1],
    ],
  ]);
  await time.run(hour);
  queue.send('d', 'group', 0);
  expect([30_000, hour - 110_000].map(counts), 'older counts are gone').toEqual([
    ...[
      [0, 0],
      [0, 0],
    ],
  ]);
});

it('the simulated expiry removes expired items within two days, and keeps all others', async () => {
  const time = virtualTime();
  const memory = memoryStore();
  const put = (SK: string, afterMs: number, more: object = {}): Item => {
    return { PK: 'p', SK, entity: 'IDEMPOTENCY', expiresAt: (beginsAt + afterMs) / 1000, ...more };
  };
  const items = [
    put('soon', hour),
    put('later', 90 * hour),
    put('waits', hour, { entity: 'DELIVERY', status: 'PENDING' }),
    put('open', hour, { entity: 'CHAIN_NOTE' }),
  ];
  for (const item of items) await memory.writeOne({ put: item });
  const found: string[] = [];
  const expiry = expiryOf(time, drawsOf(chances(3)), {
    ...{ store: memory, met: () => undefined, isOpen: ({ SK }: Item) => SK === 'open' },
    finding: (invariant) => found.push(invariant),
  });
  expiry.begin();
  await time.run(0.9 * hour);
  expect(memory.all()).toHaveLength(4);
  await time.run(49 * hour);
  expect(memory.all()).toMatchObject([{ SK: 'later' }]);
  expect(
    expiry
      .expired()
      .map(({ SK }) => SK)
      .toSorted(),
  ).toEqual(['open', 'soon', 'waits']);
  expect(found.toSorted()).toEqual(['no note expires before its minute is closed', 'no pending delivery expires']);
});

it.each([
  ['payouts.send.submit', 79_999, 0, 1],
  ['refunds.submit', 79_999, 0, 1],
  ['payouts.send.submit', 80_000, 0, 0],
  ['payouts.send.submit', 10, 8000, 0],
  ['charges.open.submit', 10, 0, 0],
])(
  'two %s within %d ms, after a process stood still for %d ms, break the rule %d times',
  (command, afterMs, stoodStillMs, count) => {
    let now = 0;
    const found: string[] = [];
    const { submitted } = repetitionChecks(
      (_invariant, text) => found.push(text),
      () => now,
      80_000,
    );
    submitted(command, 'one', { stoodStillMs });
    submitted(command, 'other', { stoodStillMs: 0 });
    now = afterMs;
    submitted(command, 'one', { stoodStillMs: 0 });
    expect(found).toHaveLength(count);
  },
);
