import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

type Result = { readonly passed: number; readonly failed: number; readonly skipped: number };

const count = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, found]) => sum + Number(found), 0);

/** How runners of tests close: the lines, and what each of them says. */
const closings: readonly { readonly lines: RegExp; readonly read: (closing: string) => Result }[] = [
  {
    // vitest: `      Tests  1 failed | 2 passed | 3 skipped (6)`
    lines: /^ +Tests {2}.*\(\d+\)$/gmu,
    read: (closing) => ({
      passed: count(closing, /(\d+) passed/gu),
      failed: count(closing, /(\d+) failed/gu),
      skipped: count(closing, /(\d+) (?:skipped|todo)/gu),
    }),
  },
  {
    // schemathesis: `  41 generated, 2 found 1 unique failure, 3 errored, 4 skipped`
    lines: /^ +\d+ generated\b.*$/gmu,
    read: (closing) => {
      const failed = count(closing, /(\d+) (?:found|errored)/gu);
      const skipped = count(closing, /(\d+) skipped/gu);
      return { passed: count(closing, /(\d+) generated/gu) - failed - skipped, failed, skipped };
    },
  },
  {
    // unittest: `Ran 4 tests in 0.1s`, and after an empty line `FAILED (failures=1, errors=1, skipped=1)`
    lines: /^Ran \d+ tests? in .*\n\n(?:OK|FAILED).*$/gmu,
    read: (closing) => {
      const failed = count(closing, /(?:failures|errors|unexpected successes)=(\d+)/gu);
      const skipped = count(closing, /skipped=(\d+)/gu);
      return { passed: count(closing, /Ran (\d+)/gu) - failed - skipped, failed, skipped };
    },
  },
  {
    // Programs of this project.
    lines: /^(?:\w+: )?\d+ passed, \d+ failed(?:, \d+ skipped)?$/gmu,
    read: (closing) => ({
      passed: count(closing, /(\d+) passed/gu),
      failed: count(closing, /(\d+) failed/gu),
      skipped: count(closing, /(\d+) skipped/gu),
    }),
  },
];

/** What the runners of one command said at their ends; none where it said nothing of tests. */
export function readResults(output: string): readonly Result[] {
  const text = stripVTControlCharacters(output).replaceAll('\r', '');
  return closings.flatMap(({ lines, read }) => [...text.matchAll(lines)].map(([closing]) => read(closing)));
}

/**
 * `node infra/tools/add-up.ts <exit code> <folder>` adds up what the commands of a run said, a file each, in one last
 * line. A command that said nothing of tests counts as failed, and so does a run that ended before its end.
 */
function main(): number {
  const [code = '1', folder = ''] = process.argv.slice(2);
  const results: Result[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const found = readResults(readFileSync(join(folder, name), 'utf8'));
    if (found.length === 0) console.error(`${name}: no runner of tests says there how it ended.`);
    results.push(...(found.length === 0 ? [{ passed: 0, failed: 1, skipped: 0 }] : found));
  }
  const sum = (what: keyof Result): number => results.reduce((total, result) => total + result[what], 0);
  const isWhole = code === '0' && results.length > 0;
  const failed = isWhole ? sum('failed') : Math.max(1, sum('failed'));
  const skipped = sum('skipped');
  console.log(`${sum('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
