import type { Figure, Results } from './figures.ts';
import { peers } from './peers.ts';

/** The two pictures of docs/benchmarks.md, drawn from the results alone: legible on white and on black. */

const style = `<style>
  svg { --paper: #ffffff; --ink: #1f2328; --dim: #59636e; --line: #d1d9e0; --own: #0969da; --bad: #cf222e; --fine: #dafbe1; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #f0f6fc; --dim: #9198a1; --line: #3d444d; --own: #4493f8; --bad: #f85149; --fine: #12261e; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 15px; font-weight: 600; }
  .dim { fill: var(--dim); }
  .grid { stroke: var(--line); }
</style>`;

const width = 960;

function picture(height: number, label: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">`,
    style,
    `<rect width="${width}" height="${height}" fill="var(--paper)"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** Row 3: each operation's cost by the number of everything, as a ratio to its cost at the smallest number. */
export function costPlot(results: Results): string {
  const figures = figuresOf(results, 3).filter(({ at, ratio }) => at !== undefined && ratio !== undefined);
  const operations = [...Map.groupBy(figures, ({ what }) => what)];
  const sizes = [...new Set(figures.flatMap(({ at }) => at ?? []))].toSorted((one, other) => one - other);
  const area = { left: 60, right: width - 350, top: 60, bottom: 380 };
  const most = Math.max(4, ...figures.map(({ ratio = 1 }) => ratio)) * 1.1;
  const least = Math.min(0.5, ...figures.map(({ ratio = 1 }) => ratio));
  const x = scale([sizes[0] ?? 1, sizes.at(-1) ?? 10], [area.left, area.right]);
  const y = scale([least, most], [area.bottom, area.top]);
  const worst = operations
    .map(([what, own]) => ({ what, last: own.find(({ at }) => at === sizes.at(-1))?.ratio ?? 1 }))
    .filter(({ last }) => last > 1.3)
    .toSorted((one, other) => other.last - one.last);
  const ticks = [0.5, 1, 1.3, 2, 5, 10, 20, 50, 100, 200, 500, 1000].filter((tick) => tick >= least && tick <= most);
  return picture(430, 'Cost against size', [
    text(20, 28, 'Engine time of an operation, beside the same with the fewest of everything', 'title'),
    text(20, 46, 'Within 1.3 is flat. Both axes are logarithmic.', 'dim'),
    `<rect x="${area.left}" y="${y(1.3)}" width="${area.right - area.left}" height="${round(y(Math.max(least, 1 / 1.3)) - y(1.3))}" fill="var(--fine)"/>`,
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${area.left}" x2="${area.right}" y1="${y(tick)}" y2="${y(tick)}"/>`,
      text(area.left - 8, y(tick) + 4, `${tick}`, 'dim', 'end'),
    ]),
    ...sizes.map((size) => text(x(size), area.bottom + 20, spaced(size), 'dim', 'middle')),
    text(
      (area.left + area.right) / 2,
      area.bottom + 40,
      'orders, deliveries, accounts, scheduled payments and companies, of each',
      'dim',
      'middle',
    ),
    ...operations.map(([what, own]) => {
      const points = own
        .toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0))
        .map(({ at = 1, ratio = 1 }) => `${x(at)},${y(ratio)}`);
      const isWorst = worst.some((one) => one.what === what);
      return `<polyline fill="none" stroke="var(${isWorst ? '--bad' : '--own'})" stroke-width="1.5" stroke-opacity="0.75" points="${points.join(' ')}"><title>${escape(what)}</title></polyline>`;
    }),
    ...spread(
      worst.map(({ last }) => y(last)),
      15,
    ).map((height, place) =>
      text(area.right + 10, height + 4, `${String(worst[place]?.last)} × ${worst[place]?.what ?? ''}`),
    ),
  ]);
}

type Dot = { readonly label: string; readonly value: number; readonly kind: 'own' | 'floor' | 'peer' };

/** Rows 1 and 2: what the service does in a second, beside floors of the same run and peers measured elsewhere. */
export function throughputPlot(results: Results): string {
  const api = figuresOf(results, 1).filter(({ at }) => at === 10);
  const deliveries = figuresOf(results, 2).filter(({ unit }) => unit === 'deliveries/s');
  const groups = [
    ...api.map((figure) => ({ name: `${figure.what}, requests`, dots: dotsOf(figure) })),
    ...deliveries.map((figure) => ({ name: figure.what, dots: dotsOf(figure) })),
    ...peers.map(({ name, perSecond }) => ({
      name: `${name} (measured elsewhere)`,
      dots: [{ label: name, value: perSecond, kind: 'peer' } satisfies Dot],
    })),
  ];
  const values = groups.flatMap(({ dots }) => dots.map(({ value }) => value));
  const area = { left: 350, right: width - 40, top: 80 };
  const rowHeight = 26;
  const bottom = area.top + groups.length * rowHeight;
  const ticks = [1, 10, 100, 1000, 10_000, 100_000].filter(
    (tick) => tick >= Math.min(...values) / 10 && tick <= Math.max(...values) * 10,
  );
  const x = scale([ticks[0] ?? 1, ticks.at(-1) ?? 10], [area.left, area.right]);
  return picture(bottom + 40, 'Throughput beside floors and peers', [
    text(20, 28, 'In a second, by ten connections', 'title'),
    mark(20, 46, 'own'),
    text(32, 50, 'the service', 'dim'),
    mark(120, 46, 'floor'),
    text(132, 50, 'the floor of the same run', 'dim'),
    mark(300, 46, 'peer'),
    text(312, 50, 'others, measured elsewhere. The axis is logarithmic.', 'dim'),
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${area.top - 12}" y2="${bottom}"/>`,
      text(x(tick), bottom + 18, spaced(tick), 'dim', 'middle'),
    ]),
    ...groups.flatMap(({ name, dots }, place) => {
      const at = area.top + place * rowHeight + 6;
      return [
        text(area.left - 12, at + 4, name, undefined, 'end'),
        ...dots.map(({ value, kind }) => mark(x(value), at, kind)),
      ];
    }),
  ]);
}

function dotsOf({ what, median, against }: Figure): readonly Dot[] {
  const own: Dot = { label: what, value: median, kind: 'own' };
  return against === undefined ? [own] : [own, { label: against.what, value: against.median, kind: 'floor' }];
}

function mark(x: number, y: number, kind: Dot['kind']): string {
  if (kind === 'peer')
    return `<path d="M${x} ${y - 6} l6 6 l-6 6 l-6 -6 z" fill="none" stroke="var(--ink)" stroke-width="1.5"/>`;
  const fill = kind === 'own' ? 'var(--own)' : 'var(--paper)';
  return `<circle cx="${x}" cy="${y}" r="5" fill="${fill}" stroke="var(--own)" stroke-width="1.5"/>`;
}

function figuresOf(results: Results, row: number): readonly Figure[] {
  return results.rows.find((one) => one.row === row)?.figures ?? [];
}

/** A logarithmic scale, to a tenth of a pixel. */
function scale(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const span = Math.log(to) - Math.log(from);
  return (value) => round(start + ((Math.log(value) - Math.log(from)) / span) * (end - start));
}

/** Heights of labels that do not cover each other, from the top. */
function spread(wanted: readonly number[], apart: number): readonly number[] {
  const heights: number[] = [];
  for (const height of wanted) heights.push(Math.max(height, (heights.at(-1) ?? -Infinity) + apart));
  return heights;
}

function text(x: number, y: number, what: string, kind?: string, anchor?: string): string {
  const attributes = [kind && `class="${kind}"`, anchor && `text-anchor="${anchor}"`].filter(Boolean).join(' ');
  return `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escape(what)}</text>`;
}

function escape(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function spaced(count: number): string {
  return count.toLocaleString('en-US').replaceAll(',', ' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
