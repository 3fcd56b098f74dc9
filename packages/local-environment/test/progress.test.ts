import { afterEach, expect, test, vi } from 'vitest';
import { showProgress } from '#local-environment/progress.ts';

afterEach(() => vi.useRealTimers());

function recorder(isTTY: boolean) {
  let output = '';
  const write = (text: string): boolean => {
    output += text;
    return true;
  };
  return { out: { isTTY, write } as never, said: () => output };
}

test('a step prints one line when it begins and the output is not a terminal', () => {
  const { out, said: output } = recorder(false);
  const progress = showProgress(out);
  progress.begin('Database');
  progress.begin('Companies');
  progress.end();
  expect(output()).toBe('  Database …\n  Companies …\n');
});

test('in a terminal a step turns until the next one begins, and is left as a line with its seconds', () => {
  vi.useFakeTimers();
  const { out, said: output } = recorder(true);
  const progress = showProgress(out);
  progress.begin('Database');
  vi.advanceTimersByTime(250);
  progress.begin('Companies');
  progress.end();
  progress.end();
  const shown = output().split('\n');
  expect(shown).toHaveLength(3);
  expect(shown[0]?.split('\r').length).toBeGreaterThan(2);
  expect(shown[0]).toMatch(/\r {2}Database: 0\.3 s\u001b\[K$/u);
  expect(shown[1]).toMatch(/\r {2}Companies: \d+\.\d s\u001b\[K$/u);
  const length = output().length;
  vi.advanceTimersByTime(60_000);
  expect(output()).toHaveLength(length);
});
