import { appendFileSync, readFileSync } from 'node:fs';
import type { TestContext } from 'vitest';
import { lackingBank, mayBeLeftOpen } from './lacking.ts';

/** A test that a run left open. */
type LeftOpen = { readonly test: string; readonly missing: string; readonly reason: string };

/** Names the file in which a run collects what it left open, one JSON line each. */
export const notJudgedVariable = 'ACCEPTANCE_NOT_JUDGED';

/**
 * Ends a test for which this run lacks something. It is the only way to leave one open: the end of the run names the
 * test with its reason, and `tools/emulators/not-judged.ts` says where the point is proved instead.
 */
export function leaveOpen(context: TestContext, missing: string, reason: string): void {
  if (process.env['ACCEPTANCE_BANK'] === lackingBank && !mayBeLeftOpen(context.task))
    throw new Error(`The test is not listed in test/support/lacking.json as left open: ${reason}.`);
  const left: LeftOpen = { test: [context.task.file.name, context.task.name].join(' > '), missing, reason };
  const file = process.env[notJudgedVariable];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(left)}\n`);
  // Vitest's only way to end a test neither passed nor failed. It hides nothing: it takes the reason, which the end of
  // the run repeats, and what may be left open, and where it is proved instead, is a closed list that is tested.
  context.skip(`${missing}: ${reason}`);
}

/** What a run left open so far. */
export function readLeftOpen(file: string): readonly LeftOpen[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LeftOpen);
}

/** What the end of a run says of what it left open; nothing if it judged everything. */
export function describeLeftOpen(file: string): readonly string[] {
  const left = readLeftOpen(file);
  if (left.length === 0) return [];
  return [
    `\n${left.length} tests were not judged in this environment:`,
    ...left.map(({ test, missing, reason }) => `  ${test}\n    needs "${missing}": ${reason}`),
  ];
}
