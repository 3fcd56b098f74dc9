import type { ScanCommand, ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import type { ScanClient, ScanOptions } from '#infra/operator/target.ts';
import { pacedScan } from '#infra/operator/target.ts';

const pages = 10;
const unitsOfPage = 60;
let clock: number;
let asked: ScanCommand['input'][];
let readUnits: number;

/** Ten pages, each of which takes a fifth of a second and sixty units. */
const client: ScanClient = {
  send: ({ input }) => {
    asked.push(input);
    clock += 200;
    const place = Number(input.ExclusiveStartKey?.['PK'] ?? 0) + 1;
    return Promise.resolve({
      Items: [{ PK: `${place}`, SK: 'x' }],
      ScannedCount: 100,
      ConsumedCapacity: { CapacityUnits: unitsOfPage },
      ...(place < pages && { LastEvaluatedKey: { PK: `${place}` } }),
    } as unknown as ScanCommandOutput);
  },
};
beforeEach(() => {
  clock = 0;
  asked = [];
  readUnits = 0;
});

async function scan(options: Partial<ScanOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  const pace = {
    nowMs: () => clock,
    sleep: (ms: number) => {
      clock += ms;
      return Promise.resolve();
    },
  };
  const onPage: ScanOptions['onPage'] = ({ units }) => (readUnits += units);
  for await (const { PK } of pacedScan(client, 'orders', { unitsPerSecond: 100, onPage, ...options }, pace))
    found.push(PK);
  return found;
}

test('a scan reads every page once, eventually consistent', async () => {
  expect(await scan()).toEqual(Array.from({ length: pages }, (_, place) => `${place + 1}`));
  expect(asked.every(({ ConsistentRead }) => ConsistentRead !== true)).toBe(true);
  expect(asked[0]).not.toHaveProperty('FilterExpression');
  expect(readUnits).toBe(pages * unitsOfPage);
});

test.each([
  // No wait follows the last page.
  [100, (pages - 1) * 600 + 200],
  [10, (pages - 1) * 6000 + 200],
  [10_000, pages * 200],
])('a scan at %i units a second takes %i ms', async (unitsPerSecond, ms) => {
  await scan({ unitsPerSecond });
  expect(clock).toBeCloseTo(ms, 3);
});

test('a page asks for about a second of the rate, so that a small rate has no bursts', async () => {
  await scan({ unitsPerSecond: 100 });
  await scan({ unitsPerSecond: 1 });
  expect(asked.map(({ Limit }) => Limit)).toEqual([
    ...Array<number>(pages).fill(800),
    ...Array<number>(pages).fill(25),
  ]);
});

test('a scan of one company asks for the keys that begin with it', async () => {
  await scan({ companyId: 'c-1' });
  expect(asked[0]).toMatchObject({ ExpressionAttributeValues: { ':company': 'C#c-1' } });
});
