import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentsOf, resultsDocument, resultsFile, tableOf, tablesOf } from './document.ts';
import type { Figure } from './figures.ts';
import { figureOf, isMet, percentile, Results } from './figures.ts';
import { rows } from './rows.ts';

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const results = Results.parse(JSON.parse(text(resultsFile)));

test('docs/benchmarks.md and its plots are those of docs/benchmarks.json', async () => {
  for (const [path, expected] of Object.entries(await documentsOf(results, text(resultsDocument))))
    expect(text(path), `${path}: npm run bench writes it, nobody else`).toBe(expected);
});

test('the results hold every row, and the document explains each and shows both plots', () => {
  const numbers = Object.keys(rows).map(Number);
  expect(results.rows.map(({ row }) => row)).toEqual(numbers);
  const document = text(resultsDocument);
  for (const [row, { title }] of Object.entries(rows)) {
    expect(document).toContain(`## ${row}. ${title}`);
    expect(document.split(`<!-- row ${row} -->`), `one table of row ${row}`).toHaveLength(2);
  }
  for (const [, plot = ''] of document.matchAll(/\]\((\S+\.svg)\)/gu))
    expect(existsSync(join(root, 'docs', plot))).toBe(true);
  expect([...document.matchAll(/\.svg\)/gu)]).toHaveLength(2);
});

test('every ratio is that of the two medians beside it', () => {
  const compared = results.rows.flatMap(({ figures }) => figures).filter(({ against }) => against !== undefined);
  expect(compared.length).toBeGreaterThan(20);
  for (const { what, median, against, ratio } of compared)
    expect(ratio, what).toBeCloseTo(median / (against?.median ?? 0), ratio !== undefined && ratio < 10 ? 1 : -2);
});

test('a figure is the median of its rounds, by that of what it is compared with', () => {
  const target = { of: 'ratio', atLeast: 0.8 } as const;
  const figure = figureOf([30, 10, 20], {
    what: 'a',
    unit: 'b',
    against: { what: 'floor', rounds: [40, 80, 10] },
    target,
  });
  expect(figure).toMatchObject({ median: 20, low: 10, high: 30, against: { median: 40 }, ratio: 0.5 });
  expect(isMet(figure)).toBe(false);
  expect(isMet({ ...figure, ratio: 0.8 })).toBe(true);
  expect(isMet({ ...figure, target: { of: 'median', atMost: 20 } })).toBe(true);
  expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
});

test('sizes become columns, and the worst of them is judged', () => {
  const at = (size: number, ms: number): Figure =>
    figureOf([ms], {
      ...{ what: 'List', at: size, unit: 'ms', against: { what: 'the smallest', rounds: [2] } },
      target: { of: 'ratio', atMost: 1.3 },
    });
  expect(tableOf([at(100, 2), at(1000, 3)])).toBe(
    [
      '| What | 100 | 1 000 | Worst ratio | Target |',
      '| --- | --- | --- | --- | --- |',
      '| List | 2 ms | 3 ms | 1.5 | ≤ 1.3: **missed** |',
    ].join('\n'),
  );
  expect(tableOf([at(100, 2), at(1000, 6), at(10_000, 6)]), 'of three sizes also the last step').toBe(
    [
      '| What | 100 | 1 000 | 10 000 | Worst ratio | Target | The last by the one before |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| List | 2 ms | 6 ms | 6 ms | 3 | ≤ 1.3: **missed** | 1 |',
    ].join('\n'),
  );
});

test('what a target is by the floor stands beside its verdict, and does not change it', () => {
  const target = { of: 'median', atLeast: 250 } as const;
  const byFloor = { value: 0.05, target: 0.0255, of: 'POSTs' };
  expect(tableOf([figureOf([100], { what: 'Deliveries', unit: '/s', target, byFloor })])).toBe(
    [
      '| What | Median | Target | By the floor |',
      '| --- | --- | --- | --- |',
      '| Deliveries | 100 /s | ≥ 250: **missed** | 0.05 POSTs; the target, where it was set: 0.0255 |',
    ].join('\n'),
  );
});

test('who of several takes what is a table of its own, one column for each', () => {
  const cell = (what: string, part: string, ms: number): Figure =>
    figureOf([ms], { what, part, unit: 'ms', ...(part === 'in all' && { against: { what: 'all', rounds: [8] } }) });
  const figures = [
    figureOf([5], { what: 'Deliveries', unit: '/s' }),
    cell('zod', 'in all', 2),
    cell('zod', 'main', 0.5),
    cell('zod', 'tool', 1.5),
    cell('engine', 'in all', 6),
  ];
  expect(tablesOf(figures)).toBe(
    [
      '| What | Median |',
      '| --- | --- |',
      '| Deliveries | 5 /s |',
      '',
      '| What | in all | main | tool | Share |',
      '| --- | --- | --- | --- | --- |',
      '| zod | 2.00 ms | 0.50 ms | 1.50 ms | 0.25 |',
      '| engine | 6.00 ms |  |  | 0.75 |',
    ].join('\n'),
  );
});
