import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { concurrently } from '#shared/platform/concurrently.ts';
import { fc } from '../support/properties.ts';

async function* streamOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) yield await Promise.resolve(item);
}

test('concurrently returns each result in the order of the items, and begins at most so many at a time', async () => {
  const turns = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(turns, fc.integer({ min: 1, max: 5 }), fc.boolean(), async (items, most, isStream) => {
      let [open, mostOpen] = [0, 0];
      const work = async (turnsLeft: number): Promise<string> => {
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        for (let left = turnsLeft; left >= 0; left -= 1) await turn();
        open -= 1;
        return `done ${turnsLeft}`;
      };
      const results = await concurrently(isStream ? streamOf(items) : items, most, work);
      expect(results).toEqual(items.map((item) => `done ${item}`));
      expect(mostOpen).toBe(Math.min(most, items.length));
    }),
    { numRuns: 100 },
  );
});

test('concurrently begins no further work after an error, which it throws', async () => {
  const begun: number[] = [];
  const work = async (item: number): Promise<void> => {
    begun.push(item);
    await turn();
    if (item === 2) throw new Error('two');
    await turn();
  };
  await expect(concurrently([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('two');
  for (let turns = 0; turns < 10; turns += 1) await turn();
  expect(begun).toEqual([1, 2]);
});
