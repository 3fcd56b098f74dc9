import type { BankName } from '@banking-order/fake-bank';
import type { RunnerTestCase } from 'vitest';
import lacking from './lacking.json' with { type: 'json' };

/*
 * The tests of the acceptance suite that cannot succeed at the bank QI Tech (`ACCEPTANCE_BANK=qitech`), by what they
 * need. Each of them runs: it must fail by the refusal that shows the lack, or leave itself open. Every other test must
 * succeed. So none is listed that could run, and none is left out unseen (test/support/at-lacking-bank.ts).
 */

/** What the bank lacks: the reason, and the error by which a test shows it; absent: the test leaves itself open. */
type Lack = { readonly reason: string; readonly sign?: RegExp };

const lacks = {
  charges: { reason: 'The dialect opens no charges.', sign: /opens no charge/u },
  recurrences: { reason: 'The dialect opens no recurrences.', sign: /opens no such recurrence/u },
  waits: { reason: 'What waits for a job is the second company’s.', sign: /Pay-in not found/u },
  journey: {
    reason: 'The journey begins with a charge or a recurrence.',
    sign: /Every check passed|not signed in both/u,
  },
  all: { reason: 'Each request is refused, where one should succeed.', sign: /\[ 409, 409/u },
  simulation: { reason: 'The test asks for a value or an end that only the simulated bank has.' },
} as const satisfies Readonly<Record<string, Lack>>;

/** The value of `ACCEPTANCE_BANK` for which the list is. */
export const lackingBank: BankName = 'qitech';

/** By what is missing: files by their names below `test/`, with the full names of their tests. */
export const lackingTests: Readonly<Record<keyof typeof lacks, Readonly<Record<string, readonly string[]>>>> = lacking;

/** Returns the names that the list has for a file. @param path from the root of the project */
export function lackingNames(path: string): readonly string[] {
  return Object.values(lackingTests).flatMap((files) => files[shortOf(path)] ?? []);
}

function shortOf(path: string): string {
  return path.replace(/^test\/|\.test\.ts$/gu, '');
}

/** Returns what a test lacks at the bank; undefined for one that must succeed there. */
export function lackOf({ file, fullTestName: name }: Pick<RunnerTestCase, 'file' | 'fullTestName'>): Lack | undefined {
  const found = Object.entries(lackingTests).find(([, files]) => files[shortOf(file.name)]?.includes(name));
  return found && lacks[found[0] as keyof typeof lacks];
}

/** Whether a test may leave itself open at the bank. */
export function mayBeLeftOpen(task: Parameters<typeof lackOf>[0]): boolean {
  const lack = lackOf(task);
  return lack !== undefined && lack.sign === undefined;
}
