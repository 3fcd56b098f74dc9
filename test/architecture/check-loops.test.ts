import { expect, test } from 'vitest';
import { each } from '#test/support/each.ts';
import { checkersOf, emptyLoops, readUnits } from './check-loops.ts';
import type { Checkers } from './check-loops.ts';
import type { Source } from './sources.ts';
import { isOfTests, parseSource, sources } from './sources.ts';

const files = sources.filter(({ path }) => isOfTests(path)).map((source) => ({ source, file: readUnits(source) }));

/** The functions that check, by file: of a file that imports some, after those. */
function findCheckers(): ReadonlyMap<string, Checkers> {
  const found = new Map<string, Checkers>();
  const sizes = () => [...found.values()].map((checkers) => [...checkers].join()).join(' ');
  for (let before = ' '; before !== sizes();) {
    before = sizes();
    for (const { source, file } of files) found.set(source.path, checkersOf(file, importedCheckers(source, found)));
  }
  return found;
}

/** The functions that check, of those that a file imports. */
function importedCheckers({ imports }: Source, known: ReadonlyMap<string, Checkers>): Checkers {
  return new Map(
    imports.flatMap(({ from, names }) =>
      names.flatMap((name) => {
        const strength = from === 'vitest' && name === 'expect' ? 'sure' : known.get(from)?.get(name);
        return strength === undefined ? [] : [[name, strength] as const];
      }),
    ),
  );
}

/**
 * Not seen: a loop whose turns all end before the check (`continue`, `if`), a table of `test.each` without rows, a
 * check that is handed on as a value or called as a method, and a name that means another thing in an inner scope.
 */
test('no test checks only in a loop that may have no items', () => {
  const checkers = findCheckers();
  const breaks = files.flatMap(({ source, file }) =>
    emptyLoops(file, importedCheckers(source, checkers)).map(
      ({ line, text }) => `${source.path}:${String(line)}: ${text}`,
    ),
  );
  expect(breaks, 'A loop without items checks nothing: give its list to each() of test/support/each.ts.').toEqual([]);
});

const given: Checkers = new Map([
  ['expect', 'sure'],
  ['refused', 'sure'],
]);
const found = (...lines: readonly string[]): readonly string[] =>
  emptyLoops(readUnits(parseSource('a.test.ts', lines.join('\n'))), given).map(({ text }) => text);

test.each([
  'for (const one of list) expect(one).toBe(1);',
  'for (const one of await list()) expect(one).toBe(1);',
  'for (const one of [...list]) expect(one).toBe(1);',
  'for (const one of table.rows) refused(one, 409);',
  'for (const one of list.filter(isOdd)) expect(one).toBe(1);',
  'for (const [key] of Object.entries(table)) expect(key).toBe(1);',
  'for (let n = 0; n < list.length; n += 1) expect(list[n]).toBe(1);',
  'while (more()) expect(next()).toBe(1);',
  'list.forEach((one) => { expect(one).toBe(1); });',
  'await Promise.all(list.map(async (one) => { expect(await one()).toBe(1); }));',
  'for (const two of list) for (const one of [1, 2]) expect(one).toBe(two);',
])('a check in a loop that may have no items is reported: %s', (line) => {
  expect(found(`test('a', async () => { const more = 1;`, line, '});')).toHaveLength(1);
  expect(found(`it.each([1])('a', async (list) => {`, line, '});')).toHaveLength(1);
  expect(
    found('async function check(list) {', line, '}', `test('a', async () => { await check([1]); });`),
  ).toHaveLength(1);
});

test.each([
  'for (const one of [1, 2]) expect(one).toBe(1);',
  'for (const one of each(list)) expect(one).toBe(1);',
  'for (const one of rows.entries()) expect(one).toBe(1);',
  'for (const one of Object.values(named)) expect(one).toBe(1);',
  'for (const one of await Promise.all([a(), b()])) refused(one, 409);',
  'for (let n = 0; n < 20; n += 1) expect(n).toBe(1);',
  'for (const one of Array.from({ length: 3 })) expect(one).toBe(1);',
  'expect(list).toHaveLength(2); for (const one of list) expect(one).toBe(1);',
  'for (const one of list) act(one); expect(seen).toBe(1);',
  'for (const one of list) expect(one).toBe(1); refused(answer, 409);',
  'await fc.assert(fc.property(fc.nat(), (n) => { expect(n).toBe(1); }));',
])('a loop is allowed when it surely has items, or when a check stands outside it: %s', (line) => {
  expect(
    found('const rows = [1, 2] as const;', 'const named = { a: 1 };', `test('a', async () => {`, line, '});'),
  ).toEqual([]);
});

test('a call of a function that checks is a check', () => {
  const check = 'const check = (one) => { expect(one).toBe(1); };';
  expect(found(check, `test('a', () => { for (const one of list) check(one); });`)).toHaveLength(1);
  expect(found(check, `test('a', () => { check(1); for (const one of list) check(one); });`)).toEqual([]);
});

test('each() throws when it gets no items, and counts undefined as an item', () => {
  expect(() => each([])).toThrow('nothing was checked');
  expect(each([undefined, 2])).toEqual([undefined, 2]);
  expect(each(new Set([1]).values())).toEqual([1]);
});
