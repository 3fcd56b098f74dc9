import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { chooseFaults, readPlanted, seek } from '#test/simulation/planted.ts';
import { liveApart } from '#test/simulation/runs.ts';

const short = { seed: 5, steps: 800, companies: 2, faults: 'all' } as const;

it('is one history for one seed, byte for byte, and another for another', async () => {
  const [one, again, other] = await Promise.all([liveApart(short), liveApart(short), liveApart({ ...short, seed: 6 })]);
  expect(one.found).toEqual([]);
  expect(one.made).toBeGreaterThan(short.steps);
  expect(again.digest).toBe(one.digest);
  expect(other.digest).not.toBe(one.digest);
}, 180_000);

it('forgets no notification in a night without any fault', async () => {
  const { found } = await liveApart({ seed: 5, steps: 1300, companies: 4, faults: 'none' });
  expect(found).toEqual([]);
}, 180_000);

it('has planted faults that still apply to the service, each with its story', () => {
  const planted = readPlanted();
  expect(planted.length).toBeGreaterThanOrEqual(30);
  for (const { name, story, file } of planted) {
    expect(story, name).toMatch(/^[A-Z].{20,}\.$/u);
    expect(() => execFileSync('git', ['apply', '--check', file], { stdio: 'pipe' }), name).not.toThrow();
  }
});

it('refuses a fault that nobody planted, instead of finding none of none', () => {
  const said = vi.spyOn(console, 'error').mockReturnValue();
  const choose = (...words: string[]) => chooseFaults('command', words, ['key-not-kept'])?.map(({ name }) => name);
  expect(choose()).toEqual(['key-not-kept']);
  expect(choose('backlog-forgotten')).toEqual(['backlog-forgotten']);
  expect(choose('backlog-forgotten', 'mistyped')).toBeUndefined();
  expect(said.mock.calls.flat().join('\n')).toContain('No planted fault is called mistyped.');
  expect(choose('--help')).toBeUndefined();
});

it('finds a planted fault', async () => {
  const [planted] = readPlanted().filter(({ name }) => name === 'entry-with-another-amount');
  expect(await seek(planted!)).toMatchObject({ invariant: 'a balance is the sum of its entries' });
});
