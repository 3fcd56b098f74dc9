import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import * as banks from '#functions/banks.ts';
import * as fakes from '#test/simulation/fakes/banks.ts';
import { chooseFaults, readPlanted } from '#test/simulation/planted.ts';

it('every planted fault still applies to the service, and has a story', () => {
  const planted = readPlanted();
  expect(planted.length).toBeGreaterThanOrEqual(30);
  for (const { name, story, file } of planted) {
    expect(story, name).toMatch(/^[A-Z].{20,}\.$/u);
    expect(() => execFileSync('git', ['apply', '--check', file], { stdio: 'pipe' }), name).not.toThrow();
  }
});

it('the command refuses an unknown planted fault, and prints its name', () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  const choose = (...args: string[]) => chooseFaults('command', args, ['key-not-kept'])?.map(({ name }) => name);
  expect(choose()).toEqual(['key-not-kept']);
  expect(choose('backlog-forgotten')).toEqual(['backlog-forgotten']);
  expect(choose('backlog-forgotten', 'mistyped')).toBeUndefined();
  expect(printed.mock.calls.flat().join('\n')).toContain('There is no injected fault mistyped.');
  expect(choose('--help')).toBeUndefined();
});

it('the simulated world has every function of functions/banks.ts, which it replaces', () => {
  expect(Object.keys(fakes).toSorted()).toEqual(Object.keys(banks).toSorted());
});
