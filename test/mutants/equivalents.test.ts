import { expect, test } from 'vitest';
import type { Equivalent } from './equivalents.ts';
import { refutedEquivalents, unfoundedEquivalents } from './equivalents.ts';
import equivalents from './equivalents.json' with { type: 'json' };
import { instrument } from './instrument.ts';
import { filesOfAreas } from './areas.ts';
import { rowsOf, survivorsOf, tableOf } from './report.ts';
import { root } from '#infra/releases/commands.ts';

const mutant = {
  id: '1',
  file: 'a.ts',
  line: 3,
  column: 8,
  within: 'return a > 0;',
  original: 'a > 0',
  replacement: 'a >= 0',
};
const { id: _id, line: _line, column: _column, ...named } = mutant;
const entry = { ...named, reason: 'a is never zero' };
const others = Array.from({ length: 19 }, (_, index) => ({ ...mutant, id: `x${index}`, replacement: `${index}` }));

test('the list of equivalent mutants names existing ones, at most 5 of 100, each with a reason', async () => {
  const list: readonly Equivalent[] = equivalents;
  const { mutants } = await instrument(root, filesOfAreas(root));
  expect(unfoundedEquivalents(list, mutants)).toEqual([]);
  expect(list.filter(({ reason }) => reason.length < 10)).toEqual([]);
});

test('an entry is reported when its mutant is gone, and the list when it is too long', () => {
  const outdated = { ...entry, original: 'a > 1' };
  expect(unfoundedEquivalents([entry], [mutant, ...others])).toEqual([]);
  expect(unfoundedEquivalents([outdated], [mutant])).toEqual([
    expect.stringMatching(/^equivalents\.json names no existing mutant: a\.ts: "a > 1"/u),
  ]);
  expect(unfoundedEquivalents([entry], [mutant, ...others.slice(1)])).toEqual([
    'equivalents.json names 1 of 19 mutants: at most 5 of 100 are allowed.',
  ]);
});

test('an entry is reported when its mutant is killed, and a survivor when it has no entry', () => {
  const survived = { mutant, state: 'survived', seconds: 1 } as const;
  const killed = { mutant, state: 'killed', seconds: 1, by: 'a.test.ts > b' } as const;
  expect(refutedEquivalents([entry], [survived])).toEqual([]);
  expect(refutedEquivalents([entry], [killed])).toEqual([
    expect.stringMatching(/^equivalents\.json names a killed mutant/u),
  ]);
  expect(survivorsOf([survived], [entry])).toEqual([]);
  expect(survivorsOf([survived, killed], [])).toEqual([survived]);
});

test('the table has a row for each area, with those that have no reason apart', () => {
  const file = 'shared/webhooks/dispatch/signature.ts';
  const verdicts = [
    { mutant, state: 'survived', seconds: 90 },
    { mutant: { ...mutant, file }, state: 'killed', seconds: 1 },
    { mutant: { ...mutant, file }, state: 'timeout', seconds: 1 },
    { mutant: { ...mutant, file }, state: 'uncovered', seconds: 0 },
    { mutant: { ...mutant, file, original: 'a' }, state: 'survived', seconds: 1 },
  ] as const;
  expect(
    tableOf(rowsOf(root, verdicts, [entry]))
      .split('\n')
      .slice(2),
  ).toEqual([
    '| other | 1 | 0 | 1 | 0 | 0 | 2 |',
    '| signature | 4 | 2 | 0 | 1 | 1 | 1 |',
    '| all | 5 | 2 | 1 | 1 | 1 | 3 |',
  ]);
});
