import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Production has no simulated bank: without the condition `simulation` a process is of that build. */

const program = join(import.meta.dirname, 'without-bank.ts');
const run = (...options: readonly string[]): unknown => {
  const { stderr } = spawnSync(process.execPath, [...options, program], { encoding: 'utf8' });
  return JSON.parse(stderr);
};

test('an order of a company without a bank is refused with 409 in production, and no item is written', () => {
  const refused = { status: 409, details: [{ field: 'accountId', issue: 'INVALID_VALUE' }] };
  expect(run()).toMatchObject({ answers: [refused, refused, refused], written: 0 });
});

test('elsewhere the simulated bank takes the same orders', () => {
  const taken = { status: 201 };
  expect(run('--conditions=simulation')).toMatchObject({ answers: [taken, taken, taken] });
});
