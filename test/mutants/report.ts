import { areaNames } from './areas.ts';
import type { Equivalent } from './equivalents.ts';
import { isNamed } from './equivalents.ts';
import type { Verdict } from './judge.ts';

/**
 * The mutants of an area. `killed`: tests noticed them, by a failure or by a time that ran out. `uncovered`: no test
 * reaches them; they and those of `survived` have no reason.
 */
type Row = {
  readonly area: string;
  readonly mutants: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly survived: number;
  readonly uncovered: number;
  readonly minutes: number;
};

const numericColumns = ['mutants', 'killed', 'equivalent', 'survived', 'uncovered', 'minutes'] as const;

/** Unexplained survivors: each is a missing test, code that is not needed, or a missing entry. */
export function survivorsOf(verdicts: readonly Verdict[], list: readonly Equivalent[]): readonly Verdict[] {
  const isSurvivor = ({ state }: Verdict): boolean => state === 'survived' || state === 'uncovered';
  return verdicts.filter((one) => isSurvivor(one) && !list.some((entry) => isNamed(entry, one.mutant)));
}

/** A row for each area with mutants, `other` for files of none. Minutes are those that its runs took one by one. */
export function rowsOf(root: string, verdicts: readonly Verdict[], list: readonly Equivalent[]): readonly Row[] {
  const areaOf = areaNames(root);
  const groups = Map.groupBy(verdicts, ({ mutant }) => areaOf(mutant.file));
  return [...groups].map(([area, group]) => {
    const unexplained = survivorsOf(group, list);
    const killed = group.filter(({ state }) => state === 'killed' || state === 'timeout').length;
    const uncovered = unexplained.filter(({ state }) => state === 'uncovered').length;
    return {
      ...{ area, mutants: group.length, killed, uncovered, survived: unexplained.length - uncovered },
      equivalent: group.length - killed - unexplained.length,
      minutes: Math.ceil(group.reduce((total, { seconds }) => total + seconds, 0) / 60),
    };
  });
}

/** The rows and their sum, as a document has them. */
export function tableOf(rows: readonly Row[]): string {
  const sum = (name: (typeof numericColumns)[number]): number => rows.reduce((total, row) => total + row[name], 0);
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['area', ...numericColumns]),
    line(['---', ...numericColumns.map(() => '---:')]),
    ...rows.map((row) => line([row.area, ...numericColumns.map((name) => row[name])])),
    line(['all', ...numericColumns.map(sum)]),
  ].join('\n');
}
