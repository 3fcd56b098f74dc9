import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Verdict } from './judge.ts';
import { openResults } from './results.ts';

const folder = mkdtempSync(join(tmpdir(), 'mutants-results-'));
const file = 'a.ts';
const path = join(folder, 'results.jsonl');
afterEach(() => {
  rmSync(path, { force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const mutant = { id: '1', file, line: 1, column: 2, within: 'a', original: 'a', replacement: 'b' };
const open = () => openResults(folder, [file], path);
const verdict = (state: Verdict['state']): Verdict => ({ mutant, state, seconds: 1 });

test('a mutant that was noticed is not judged again while its file is the same, whatever its id is', () => {
  writeFileSync(join(folder, file), 'as it is');
  open().add(verdict('killed'));
  expect(open().known({ ...mutant, id: '7' })).toEqual({ ...verdict('killed'), mutant: { ...mutant, id: '7' } });
  expect(open().known({ ...mutant, column: 3 })).toBeUndefined();
  writeFileSync(join(folder, file), 'as it became');
  expect(open().known(mutant)).toBeUndefined();
});

test.each(['survived', 'uncovered'] as const)(
  'a mutant that %s is judged again: there may be a test of it',
  (state) => {
    writeFileSync(join(folder, file), 'as it is');
    open().add(verdict(state));
    expect(open().known(mutant)).toBeUndefined();
  },
);

test('a line that an interruption cut is passed over', () => {
  writeFileSync(join(folder, file), 'as it is');
  open().add(verdict('killed'));
  appendFileSync(path, '{"text":"');
  expect(open().known(mutant)?.state).toBe('killed');
});
