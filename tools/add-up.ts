import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

type Result = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** The closing lines of test runners. */
const closings: readonly RegExp[] = [
  // vitest: `      Tests  1 failed | 2 passed | 3 skipped (6)`
  /^ +Tests {2}.*\(\d+\)$/gmu,
  // schemathesis: `  41 generated, 2 found 1 unique failure, 3 errored, 4 skipped`
  /^ +\d+ generated\b.*$/gmu,
  // unittest: `Ran 4 tests in 0.1s`, and after an empty line `FAILED (failures=1, errors=1, skipped=1)`
  /^Ran \d+ tests? in .*\n\n(?:OK|FAILED).*$/gmu,
  // Programs of this project.
  /^(?:\w+: )?\d+ passed, \d+ failed(?:, \d+ skipped)?$/gmu,
];

function readClosing(closing: string): Result {
  const count = (pattern: RegExp): number =>
    [...closing.matchAll(pattern)].reduce((sum, [, before, after]) => sum + Number(before ?? after), 0);
  const failed = count(/(\d+) (?:failed|found|errored)|(?:failures|errors|unexpected successes)=(\d+)/gu);
  const skipped = count(/(\d+) (?:skipped|todo)|skipped=(\d+)/gu);
  // schemathesis and unittest count all tests, the others only those that passed.
  const all = count(/(\d+) generated|Ran (\d+)/gu);
  return { passed: all > 0 ? all - failed - skipped : count(/(\d+) passed/gu), failed, skipped };
}

/** The results that the test runners of one command printed. */
export function readResults(output: string): readonly Result[] {
  const text = stripVTControlCharacters(output).replaceAll('\r', '');
  return closings.flatMap((lines) => [...text.matchAll(lines)].map(([closing]) => readClosing(closing)));
}

/** The tests that a runner names as failed, once each, with the first line of the error where it follows. */
export function readFailures(output: string): readonly string[] {
  const text = stripVTControlCharacters(output).replaceAll('\r', '');
  const named = text.matchAll(/^ *((?:FAIL|ERROR):? +\S.*)$(?:\n((?!FAIL|ERROR)\w+: .*))?/gmu);
  const lines = [...named].map(([, test = '', error]) => [test.trimEnd(), ...(error ? [error] : [])].join(': '));
  return [...new Set(lines)];
}

/**
 * `node tools/add-up.ts <exit code> <folder>` prints the sum of the results of all commands, whose outputs are files in
 * the folder, and repeats the failed tests. A command without a result counts as failed, and so does an aborted run.
 */
function main(): number {
  const [code = '1', folder = ''] = process.argv.slice(2);
  const results: Result[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const output = readFileSync(join(folder, name), 'utf8');
    const found = readResults(output);
    for (const failure of readFailures(output)) console.error(`${name}: ${failure}`);
    if (found.length === 0) console.error(`${name}: the output contains no result of a test runner.`);
    results.push(...(found.length === 0 ? [{ passed: 0, failed: 1, skipped: 0 }] : found));
  }
  const sum = (field: keyof Result): number => results.reduce((total, result) => total + result[field], 0);
  const isWhole = code === '0' && results.length > 0;
  const failed = isWhole ? sum('failed') : Math.max(1, sum('failed'));
  const skipped = sum('skipped');
  console.log(`${sum('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
