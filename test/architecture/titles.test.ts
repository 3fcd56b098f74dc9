import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { titlesIn } from './test-titles.ts';
import { root, sources } from './sources.ts';

const lines = (file: string): readonly string[] =>
  readFileSync(join(root, 'test/titles', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** A title that is no longer there, into what it was renamed (`-`: removed), and why. */
const changes = readdirSync(join(root, 'test/titles'))
  .filter((file) => file.startsWith('changed'))
  .flatMap(lines)
  .map((line) => {
    const [title, into, why] = line.split(' => ');
    return { title, into, why };
  });

test('a test that was there is there still, or it is said into what it was renamed, or why it is gone', () => {
  const titles = new Set(sources.flatMap(({ tree }) => titlesIn(tree)));
  const missing = lines('frozen.txt').filter((title) => !titles.has(title));
  expect(
    missing.filter((title) => !changes.some((change) => change.title === title)),
    'A line in test/titles/changed….txt: old title => new title, or `-` => why',
  ).toEqual([]);
  expect(
    changes.filter(({ title = '' }) => !missing.includes(title)),
    'A title that is there, or was never frozen, has no line.',
  ).toEqual([]);
  expect(changes.filter(({ into, why }) => (into !== '-' && !titles.has(into ?? '')) || !why)).toEqual([]);
});
