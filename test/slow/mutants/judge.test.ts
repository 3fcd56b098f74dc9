import { expect, test } from 'vitest';
import { judge } from '#test/mutants/judge.ts';
import type { Verdict } from '#test/mutants/judge.ts';
import { root } from '#infra/releases/commands.ts';

const folder = 'test/mutants/fixture';
const judged = (probe: string): Promise<readonly Verdict[]> =>
  judge({ root, files: [`${folder}/fare.ts`], judges: [`${folder}/${probe}-probe.ts`], graceSeconds: 3 });

const stateOf = (verdicts: readonly Verdict[], original: string, replacement: string): string | undefined =>
  verdicts.find(({ mutant }) => mutant.original === original && mutant.replacement === replacement)?.state;

/** Processes with a Vitest of their own, on a machine that is busy. */
const patientMs = 180_000;

test(
  'a mutant acts: one that must die does, also one that never ends, and one that no test can see lives',
  async () => {
    const verdicts = await judged('fare');
    expect({
      inFunction: stateOf(verdicts, 'age < 6', 'true'),
      whileLoaded: stateOf(verdicts, '300 + 50', '300 - 50'),
      // Its test fails by its time, or its worker is ended.
      isEndlessNoticed: /^(killed|timeout)$/u.test(stateOf(verdicts, 'left -= adultFare', 'left += adultFare') ?? ''),
      unseen: stateOf(verdicts, 'age < 6', 'age <= 6'),
      unreached: stateOf(verdicts, 'paid - 1', 'paid + 1'),
    }).toEqual({
      inFunction: 'killed',
      whileLoaded: 'killed',
      isEndlessNoticed: true,
      unseen: 'survived',
      unreached: 'uncovered',
    });
  },
  patientMs,
);

test(
  'tests that fail without a mutant give no verdict',
  async () => {
    await expect(judged('broken')).rejects.toThrow('Without a mutant a test fails');
  },
  patientMs,
);

test(
  'a run whose mutants do not act gives no verdict',
  async () => {
    await expect(judged('deaf')).rejects.toThrow('mutants are not active');
  },
  patientMs,
);
