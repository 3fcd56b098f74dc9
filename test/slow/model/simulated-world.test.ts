import { expect, it } from 'vitest';
import { readPlanted, seek } from '#test/simulation/planted.ts';
import { liveApart } from '#test/simulation/runs.ts';

const short = { seed: 5, steps: 800, companies: 2, faults: 'all' } as const;

it('is one history for one seed, byte for byte, and another for another', async () => {
  const [one, again, other] = await Promise.all([liveApart(short), liveApart(short), liveApart({ ...short, seed: 6 })]);
  expect(one.found).toEqual([]);
  expect(one.stepCount).toBeGreaterThan(short.steps);
  expect(again.digest).toBe(one.digest);
  expect(other.digest).not.toBe(one.digest);
});

it('forgets no notification in a night without any fault', async () => {
  const { found } = await liveApart({ seed: 5, steps: 1300, companies: 4, faults: 'none' });
  expect(found).toEqual([]);
});

it('finds a planted fault', async () => {
  const [planted] = readPlanted().filter(({ name }) => name === 'entry-with-another-amount');
  expect(await seek(planted!)).toMatchObject({ invariant: 'a balance is the sum of its entries' });
});
