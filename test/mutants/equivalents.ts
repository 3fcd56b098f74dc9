import type { Mutant } from './instrument.ts';
import type { Verdict } from './judge.ts';

/** A mutant that no test can tell from the code, and why. Without a line number: a file may grow above it. */
export type Equivalent = Pick<Mutant, 'file' | 'within' | 'original' | 'replacement'> & { readonly reason: string };

/** Of 100 mutants at most so many may be named equivalent: more of them would be an excuse. */
const mostPercent = 5;

export const isNamed = (equivalent: Equivalent, mutant: Mutant): boolean =>
  (['file', 'within', 'original', 'replacement'] as const).every((part) => equivalent[part] === mutant[part]);

const nameOf = ({ file, within, original, replacement }: Omit<Equivalent, 'reason'>): string =>
  `${file}: "${original}" -> "${replacement}" in "${within}"`;

/** Entries without a mutant, and a list that is too long. Nothing need run for it. */
export function unfoundedEquivalents(list: readonly Equivalent[], mutants: readonly Mutant[]): readonly string[] {
  const named = mutants.filter((mutant) => list.some((entry) => isNamed(entry, mutant))).length;
  return [
    ...list
      .filter((entry) => !mutants.some((mutant) => isNamed(entry, mutant)))
      .map((one) => `No mutant: ${nameOf(one)}`),
    ...(100 * named > mostPercent * mutants.length
      ? [`${named} of ${mutants.length} mutants are named equivalent.`]
      : []),
  ];
}

/** What the list says wrongly of the mutants that ran: who is named there and was noticed nevertheless. */
export function refutedEquivalents(list: readonly Equivalent[], verdicts: readonly Verdict[]): readonly string[] {
  return verdicts
    .filter(({ state }) => state === 'killed' || state === 'timeout')
    .filter(({ mutant }) => list.some((entry) => isNamed(entry, mutant)))
    .map(({ mutant, by }) => `Named equivalent, but killed: ${nameOf(mutant)} by ${by ?? 'its time'}`);
}
