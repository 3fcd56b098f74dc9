import tseslint from 'typescript-eslint';
import { Linter } from 'eslint';
import { expect, test } from 'vitest';
import { staleArguments } from '#tools/lint/stale-arguments.ts';

/** Columns at which the rule finds a value of before, in a function where another one sets `cursor`. */
function found(line: string): readonly number[] {
  const text = [
    'async function follow() {',
    'let cursor = 1; const change = (next) => { cursor = next; }; let own = 1; own = 2; const fixed = 1;',
    line,
    '}',
  ].join('\n');
  const messages = new Linter().verify(text, {
    languageOptions: { parser: tseslint.parser },
    plugins: { own: { rules: { 'stale-arguments': staleArguments } } },
    rules: { 'own/stale-arguments': 'error' },
  });
  return messages.map(({ ruleId, column, message }) => (ruleId === null ? expect.unreachable(message) : column));
}

test.each([
  ['change(notice(cursor, await log.list(), Date.now()));', 15],
  ['change(notice(cursor.from, 1, await log.list()));', 15],
  ['notice(cursor, { listed: await log.list() });', 8],
  ['notice({ cursor, listed: await log.list() });', 10],
  ['notice([cursor, await log.list()]);', 9],
  ['new Notice(cursor, await log.list());', 12],
  ['notice(cursor, later(await log.list()));', 8],
])('an argument that is read before an await in the same call is reported: %s', (line, column) => {
  expect(found(line)).toContain(column);
});

test.each([
  'const listed = await log.list(); change(notice(cursor, listed));',
  'notice(await log.list(), cursor);',
  'notice(own, await log.list());',
  'notice(fixed, await log.list());',
  'notice(() => cursor, await log.list());',
  'notice(cursor, async () => await log.list());',
])('an argument that keeps its value, or is read after the await, is allowed: %s', (line) => {
  expect(found(line)).toEqual([]);
});
