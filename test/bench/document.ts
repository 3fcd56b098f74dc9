import { format, resolveConfig } from 'prettier';
import type { Figure } from './figures.ts';
import { isMet, Results, tidy } from './figures.ts';
import { peers } from './peers.ts';
import { costPlot, throughputPlot } from './plots.ts';

/** Where the results are, from the root of the repository. */
export const resultsFile = 'docs/benchmarks.json';
export const resultsDocument = 'docs/benchmarks.md';

/**
 * Everything that follows from results, by its path: the results themselves, the plots, and the document with its
 * tables between `<!-- row n -->` and `<!-- end -->` written again.
 */
export async function documentsOf(measured: Results, document: string): Promise<Readonly<Record<string, string>>> {
  // In the order of the schema, in which a reader finds them again.
  const results = Results.parse(measured);
  const blocks: Readonly<Record<string, string>> = {
    machine: machineOf(results),
    peers: lines(
      ['Who', 'Deliveries a second', 'Measured'],
      peers.map(({ name, perSecond, how }) => [name, perSecond, how]),
    ),
    ...Object.fromEntries(
      results.rows.flatMap(({ row, figures }) => [
        [`row ${row}`, tableOf(figures.filter(isWhole))],
        [`row ${row} parts`, byPart(figures)],
      ]),
    ),
  };
  const written = document.replaceAll(/<!-- ([a-z0-9 ]+) -->\n[\s\S]*?<!-- end -->/gu, (whole, name: string) =>
    blocks[name] === undefined ? whole : `<!-- ${name} -->\n\n${blocks[name]}\n\n<!-- end -->`,
  );
  const style = (await resolveConfig(import.meta.filename)) ?? {};
  return {
    [resultsFile]: await format(JSON.stringify(results), { ...style, parser: 'json' }),
    [resultsDocument]: await format(written, { ...style, parser: 'markdown' }),
    'docs/benchmarks-cost.svg': costPlot(results),
    'docs/benchmarks-throughput.svg': throughputPlot(results),
  };
}

function machineOf({ machine, versions, date, seconds, scale }: Results): string {
  const small = scale === 'full' ? '' : ' It was a quick run: small sizes, one round, and other work on the machine.';
  return `Measured on ${date} in one run of ${Math.round(seconds / 60)} minutes: ${machine}; ${versions}.${small}`;
}

function isWhole({ part }: Figure): boolean {
  return part === undefined;
}

/** As `npm run bench` prints a row. */
export function tablesOf(figures: readonly Figure[]): string {
  const whole = tableOf(figures.filter(isWhole));
  return figures.every(isWhole) ? whole : `${whole}\n\n${byPart(figures)}`;
}

/** As the document holds it. */
export function tableOf(figures: readonly Figure[]): string {
  const sizes = [...new Set(figures.map(({ against, at }) => (against?.what === smallest ? at : undefined)))];
  return sizes.some((size) => size !== undefined) ? bySize(figures) : oneByOne(figures);
}

/** One line for what is done, one column for who does it. */
function byPart(figures: readonly Figure[]): string {
  const divided = figures.filter(({ part }) => part !== undefined);
  if (divided.length === 0) return 'Not measured in that run.';
  const parts = [...new Set(divided.map(({ part = '' }) => part))];
  return lines(
    ['What', ...parts, 'Share', 'Beside'],
    [...Map.groupBy(divided, ({ what }) => what)].map(([what, own]) => {
      const [whole] = own;
      const cells = parts.map((part) => own.find((figure) => figure.part === part));
      const shown = cells.map((figure) => (figure === undefined ? '' : `${figure.median.toFixed(2)} ${figure.unit}`));
      return [what, ...shown, whole?.ratio ?? '', whole?.beside ?? ''];
    }),
  );
}

/** What figures of growing sizes are compared with. */
export const smallest = 'the smallest';

function oneByOne(figures: readonly Figure[]): string {
  return lines(
    ['What', 'At', 'Median', 'Rounds', 'Compared with', 'Ratio', 'Target', 'By the floor', 'Beside'],
    figures.map((figure) => [
      figure.what,
      figure.at ?? '',
      `${figure.median} ${figure.unit}`,
      figure.low === figure.high ? '' : `${figure.low} – ${figure.high}`,
      figure.against === undefined ? '' : `${figure.against.median} (${figure.against.what})`,
      figure.ratio ?? '',
      targetOf(figure),
      figure.byFloor === undefined
        ? ''
        : `${figure.byFloor.value} ${figure.byFloor.of}; the target, where it was set: ${figure.byFloor.target}`,
      figure.beside ?? '',
    ]),
  );
}

/** One line an operation, one column a size. */
function bySize(figures: readonly Figure[]): string {
  const sizes = [...new Set(figures.flatMap(({ at }) => at ?? []))].toSorted((one, other) => one - other);
  const operations = Map.groupBy(figures, ({ what }) => what);
  return lines(
    [
      'What',
      ...sizes.map((size) => size.toLocaleString('en-US').replaceAll(',', ' ')),
      'Worst ratio',
      'Target',
      'The last by the one before',
      'Beside',
    ],
    [...operations].map(([what, own]) => {
      const worst = own.toSorted((one, other) => (other.ratio ?? 0) - (one.ratio ?? 0))[0];
      return [
        what,
        ...sizes.map((size) => {
          const figure = own.find(({ at }) => at === size);
          return figure === undefined ? '' : `${figure.median} ${figure.unit}`;
        }),
        worst?.ratio ?? '',
        worst === undefined ? '' : targetOf(worst),
        sizes.length > 2 ? lastStep(own) : '',
        worst?.beside ?? '',
      ];
    }),
  );
}

/** Between the two largest sizes: what is bounded has reached its bound there. */
function lastStep(figures: readonly Figure[]): number | string {
  const [last, before] = figures.toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0));
  return last === undefined || before === undefined ? '' : tidy(last.median / before.median);
}

function targetOf(figure: Figure): string {
  const { target } = figure;
  if (target === undefined) return '';
  const bound = target.atLeast === undefined ? `≤ ${String(target.atMost)}` : `≥ ${target.atLeast}`;
  return `${bound}: ${isMet(figure) === true ? 'met' : '**missed**'}`;
}

function lines(head: readonly string[], body: readonly (readonly (string | number)[])[]): string {
  const used = head.map((_, column) => body.some((cells) => cells[column] !== ''));
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.filter((_, column) => used[column] === true).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
