import type { Mutant } from './instrument.ts';
import type { Verdict } from './judge.ts';

/** A mutant that no test can tell from the code, and why. Without a line number: a file may grow above it. */
export type Equivalent = Pick<Mutant, 'file' | 'within' | 'original' | 'replacement'> & { readonly reason: string };

/** Limit of equivalent mutants, per 100 mutants. */
const mostPercent = 5;

export const isNamed = (equivalent: Equivalent, mutant: Mutant): boolean =>
  (['file', 'within', 'original', 'replacement'] as const).every((part) => equivalent[part] === mutant[part]);

const nameOf = ({ file, within, original, replacement }: Omit<Equivalent, 'reason'>): string =>
  `${file}: "${original}" -> "${replacement}" in "${within}"`;

/** Entries without a mutant, and a list that is too long. Runs no mutant. */
export function unfoundedEquivalents(list: readonly Equivalent[], mutants: readonly Mutant[]): readonly string[] {
  const named = mutants.filter((mutant) => list.some((entry) => isNamed(entry, mutant))).length;
  return [
    ...list
      .filter((entry) => !mutants.some((mutant) => isNamed(entry, mutant)))
      .map((one) => `equivalents.json names no existing mutant: ${nameOf(one)}`),
    ...(100 * named > mostPercent * mutants.length
      ? [`equivalents.json names ${named} of ${mutants.length} mutants: at most ${mostPercent} of 100 are allowed.`]
      : []),
  ];
}

/** Entries of mutants that a test has killed. */
export function refutedEquivalents(list: readonly Equivalent[], verdicts: readonly Verdict[]): readonly string[] {
  return verdicts
    .filter(({ state }) => state === 'killed' || state === 'timeout')
    .filter(({ mutant }) => list.some((entry) => isNamed(entry, mutant)))
    .map(
      ({ mutant, by }) => `equivalents.json names a killed mutant: ${nameOf(mutant)}, killed by ${by ?? 'a timeout'}`,
    );
}
