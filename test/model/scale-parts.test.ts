import { expect, test } from 'vitest';
import { policies } from '#shared/platform/table/retry.ts';
import { aws } from '#tools/scale/aws.ts';
import type { Need } from '#tools/scale/layout.ts';
import { createBucket, createLambda, createOnDemand, createQueue, createTable } from '#tools/scale/parts.ts';
import { createWriter } from '#tools/scale/transactions.ts';
import { chances, virtualTime } from './virtual-time.ts';

const grown = { warm: 40_000, most: 40_000 };
const wholeSeconds = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const need = (key: string, of: Need['of'] = 'GSI3', units = 1): Need => ({ of, key, units });

/** Units of each second that a table served, when it was asked for a thousand and a half of each key. */
function served(keys: readonly string[]): readonly number[] {
  const takes = createTable(grown);
  return wholeSeconds.map((second) => {
    const taken = Array.from({ length: 1500 }).flatMap((_, place) =>
      keys.filter((key) => takes(second * 1000 + place / 2, [need(key)]) === undefined),
    );
    return taken.length;
  });
}

test('a partition never serves more than its units in a second, however it is asked', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = chances(seed);
    const takes = createTable(grown);
    const units = new Map<number, number>();
    for (let now = 0; now < 5000; now += random() * 2) {
      const wanted = 1 + Math.floor(random() * 4);
      if (takes(now, [need('hot', 'table', wanted)]) !== undefined) continue;
      const second = Math.floor(now / 1000);
      units.set(second, (units.get(second) ?? 0) + wanted);
    }
    expect(Math.max(...units.values())).toBeLessThanOrEqual(aws.partitionWriteUnits.is);
    expect(Math.max(...units.values())).toBeGreaterThan(aws.partitionWriteUnits.is - 4);
  }
});

test('split for heat separates keys of one partition, and does not help a single key', () => {
  expect(served(['DUE#DELIVERIES#1']).at(-1)).toBe(aws.partitionWriteUnits.is);
  const beside = Array.from({ length: 2000 }, (_, number) => `key ${number}`).find((key) => {
    const [first = 0] = served(['DUE#DELIVERIES#1', key]);
    return first === aws.partitionWriteUnits.is;
  });
  const both = served(['DUE#DELIVERIES#1', beside ?? '']);
  expect(both[0]).toBe(aws.partitionWriteUnits.is);
  expect(both.at(-1)).toBe(2 * aws.partitionWriteUnits.is);
});

test('an index without units refuses a write of the table, which then takes no units anywhere', () => {
  const takes = createTable(grown);
  while (takes(0, [need('index', 'GSI3')]) === undefined);
  const write = [need('item', 'table', 4), need('list', 'GSI2'), need('index', 'GSI3')];
  for (let attempt = 0; attempt < 1000; attempt += 1) expect(takes(1, write)).toBe('GSI3');
  expect(takes(2, [need('item', 'table', 1000), need('list', 'GSI2', 1000)])).toBeUndefined();
  expect(takes(1000, write)).toBeUndefined();
});

test('a new table takes 4 000 units a second, and twice its peak after half an hour, up to the quota', () => {
  const takes = createOnDemand({ warm: aws.newTableWriteUnits.is, most: aws.tableWriteUnits.is });
  const most = (minute: number): number => {
    let units = 0;
    while (takes(minute * 60_000, 100)) units += 100;
    return units;
  };
  expect([0, 10, 29, 30, 45, 61, 92, 123, 154, 400].map(most)).toEqual([
    ...[4000, 4000, 4000, 8000, 8000, 16_000, 32_000, 40_000, 40_000, 40_000],
  ]);
});

test('a bucket admits its rate in the long run, and at most its burst at once', () => {
  const admits = createBucket({ rate: 100, burst: 200 }, 0);
  const admitted = (from: number, to: number, step: number): number => {
    let count = 0;
    for (let now = from; now < to; now += step) if (admits(now)) count += 1;
    return count;
  };
  expect(admitted(0, 10_000, 1)).toBeGreaterThanOrEqual(999);
  expect(admitted(0, 10_000, 1)).toBeLessThanOrEqual(1001);
  expect(admitted(60_000, 60_001, 0.001)).toBe(200);
});

test('an account runs 1 000 executions at once, and begins another one when one has ended', async () => {
  const time = virtualTime();
  const lambda = createLambda(time.now);
  const begun = Array.from({ length: 1200 }, () => lambda.begin('one', () => time.sleep(500)));
  expect(begun.filter((one) => one !== undefined)).toHaveLength(aws.executions.is);
  expect(lambda.begin('other', () => time.sleep(1))).toBeUndefined();
  await time.run(1000);
  expect(lambda.begin('other', () => time.sleep(1))).toBeDefined();
  expect(lambda.most()).toBe(aws.executions.is);
});

test('a function gets 1 000 new environments in ten seconds, of which ended executions give their own to the next', async () => {
  const time = virtualTime();
  const lambda = createLambda(time.now);
  const begin = (name: string, count: number): number =>
    Array.from({ length: count }, () => lambda.begin(name, () => time.sleep(1))).filter((one) => one !== undefined)
      .length;
  expect(begin('one', 600)).toBe(600);
  await time.run(10);
  expect(begin('one', 1000), '600 are ready, and 400 are new').toBe(1000);
  expect(begin('two', 10), 'the account has no more').toBe(0);
  await time.run(20);
  expect(begin('two', 1000)).toBe(1000);
});

/** Plays a queue whose messages are `group number`. */
function playQueue(batch: number, concurrency: number, workMs: (message: string) => number, fails: string[] = []) {
  const time = virtualTime();
  const ended: string[] = [];
  let [open, most] = [0, 0];
  const send = createQueue<string>({
    ...{ time, consumer: { batch, concurrency }, hiddenMs: 1000 },
    groupOf: (message) => message.split(' ')[0] ?? '',
    work: async (message) => {
      most = Math.max(most, (open += 1));
      await time.sleep(workMs(message));
      open -= 1;
      const isFailed = fails.includes(message);
      if (isFailed) fails.splice(fails.indexOf(message), 1);
      else ended.push(message);
      return !isFailed;
    },
    begin: (receive) => receive(),
  });
  return { time, send, ended, most: () => most };
}

test('a queue has at most its receives of its batch in work, and loses no message', async () => {
  const fails = Array.from({ length: 40 }, (_, number) => `one ${number * 7}`);
  const { time, send, ended, most } = playQueue(5, 3, (message) => message.length * 10, fails);
  for (let number = 0; number < 300; number += 1) send(`one ${number}`);
  await time.run(60_000);
  expect(most()).toBe(15);
  expect(ended).toHaveLength(300);
  expect(new Set(ended).size).toBe(300);
});

test('a message that failed is received again after its visibility timeout', async () => {
  const { time, send, ended } = playQueue(1, 1, () => 10, ['one 1', 'one 1']);
  send('one 1');
  await time.run(2020);
  expect(ended).toEqual([]);
  await time.run(2040);
  expect(ended).toEqual(['one 1']);
});

test('a group with many messages in flight waits behind the others', async () => {
  const { time, send, ended } = playQueue(10, 10, () => 100);
  for (let number = 0; number < 1000; number += 1) send(`noisy ${number}`);
  for (let number = 0; number < 5; number += 1) send(`quiet ${number}`);
  await time.run(250);
  expect(ended.filter((message) => message.startsWith('quiet'))).toHaveLength(5);
});

test('the second of two transactions on one item is a counted conflict, and both succeed', async () => {
  const time = virtualTime();
  const { write, counts } = createWriter({ time, random: () => 0.5 }, 10, () => undefined);
  const both = [write([], 'item'), write([], 'item')];
  await time.run(1000);
  expect(await Promise.all(both)).toEqual([undefined, undefined]);
  expect(counts.conflicts).toBe(1);
  const apart = [write([], 'one'), write([], 'other'), write([])];
  await time.run(2000);
  expect(await Promise.all(apart)).toEqual([undefined, undefined, undefined]);
  expect(counts.conflicts).toBe(1);
});

test('transactions that give up early on a contended item are shed in time, and the others end with the retries of a conflict', async () => {
  const time = virtualTime();
  const { write } = createWriter({ time, random: chances(1) }, 10, () => undefined);
  const ends: [refusal: string | undefined, ms: number][] = [];
  const begin = (shedAfterMs?: number): void =>
    void write([], 'item', shedAfterMs).then((refusal) => ends.push([refusal, time.now()]));
  for (let number = 0; number < 500; number += 1) {
    begin();
    begin(1000);
  }
  await time.run(60_000);
  const endsOf = (of: string) => ends.flatMap(([refusal, ms]) => (refusal === of ? [ms] : []));
  expect(ends).toHaveLength(1000);
  expect(endsOf('SHED').length).toBeGreaterThan(100);
  expect(Math.max(...endsOf('SHED'))).toBeLessThan(3000);
  expect(endsOf('CONFLICTS').length).toBeGreaterThan(10);
  expect(Math.min(...endsOf('CONFLICTS'))).toBeGreaterThan(policies.conflict.lastsMs);
});

test.each([
  ['a plain write', undefined],
  ['a transaction', 'item'],
])('%s without units is refused after the tries of a busy table, and never shed', async (_what, item) => {
  const time = virtualTime();
  let tries = 0;
  const { write } = createWriter({ time, random: () => 0.5 }, 10, () => {
    tries += 1;
    return 'table';
  });
  const refused = write([], item, 0);
  await time.run(20_000);
  expect([await refused, tries]).toEqual(['UNITS', policies.busy.tries]);
});
