import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { openCheckpoints } from '#cdk-local/event-sources/checkpoints.ts';

const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
const file = join(folder, 'checkpoints.db');
beforeEach(() => {
  rmSync(file, { force: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What a start after a crash would find. */
function kept(): unknown[] {
  using database = new DatabaseSync(file, { readOnly: true });
  return database
    .prepare('SELECT shard, sequence FROM checkpoints ORDER BY shard')
    .all()
    .map(({ shard, sequence }) => [shard, sequence]);
}

test('a checkpoint is written immediately when its records are processed, within a second when the filter rejects them', () => {
  vi.useFakeTimers();
  const { get, set, pass, close } = openCheckpoints(file);
  set('one', '5');
  pass('two', '7');
  pass('two', '8');
  expect([kept(), get('one'), get('two')]).toEqual([[['one', '5']], '5', undefined]);
  vi.advanceTimersByTime(1000);
  expect(kept()).toEqual([
    ['one', '5'],
    ['two', '8'],
  ]);
  pass('one', '6');
  set('one', '9');
  vi.advanceTimersByTime(1000);
  expect(get('one')).toBe('9');
  close();
  vi.useRealTimers();
});

test('closing the checkpoints writes the position of records that the filter rejected', () => {
  const { pass, close } = openCheckpoints(file);
  pass('one', '5');
  close();
  expect(kept()).toEqual([['one', '5']]);
});
