import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longestChain } from './operations.ts';
import { markdown, median, quantile, withTables } from './page.ts';

const text = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const cellsOf = (block = ''): readonly string[][] =>
  block
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

test('docs/benchmarks.md has its seven tables, and the units of docs/capacity.md', () => {
  const tables = [...text('benchmarks').matchAll(/<!-- (?!end)(\w+) -->\n([^]*?)<!-- end -->/gu)];
  const names = tables.map(([, name]) => name);
  expect(names).toEqual(['machine', 'units', 'calls', 'notifier', 'imports', 'deliveries', 'banks', 'statement']);
  for (const [, name, table] of tables.slice(1)) expect(cellsOf(table).length, name).toBeGreaterThan(2);
  const capacity = new Map(cellsOf(text('capacity')).map(([name = '', , reads, , writes]) => [name, [reads, writes]]));
  const operations = cellsOf(tables[1]?.[2]).filter(([name = '']) => capacity.has(name));
  expect(operations.length).toBeGreaterThan(10);
  // The page counts what production writes: no entries for companies' clocks, at most two units of each change.
  for (const [name = '', reads, writes] of operations.slice(1)) {
    const [allReads, allWrites] = capacity.get(name) ?? [];
    expect(reads, `${name}: npm run bench updates the page`).toBe(allReads);
    expect(Number(writes), name).toBeLessThanOrEqual(Number(allWrites));
    expect(Number(writes), name).toBeGreaterThanOrEqual(Number(allWrites) * 0.75);
  }
});

test('a table replaces the one of its name, and no other', () => {
  const page = 'a\n\n<!-- one -->\nold\n<!-- end -->\n\n<!-- two -->\nkept\n<!-- end -->\n';
  const one = [
    ['What', 'ms'],
    ['x', 1],
  ];
  expect(markdown(one)).toBe('| What | ms |\n| --- | --: |\n| x | 1 |');
  const written = withTables(page, { one });
  expect(written).toBe(`a\n\n<!-- one -->\n\n${markdown(one)}\n\n<!-- end -->\n\n<!-- two -->\nkept\n<!-- end -->\n`);
  expect(withTables(written, { one })).toBe(written);
});

test('a quantile is the value below which a part of the values lies', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([quantile(values, 0), quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([
    1, 51, 100, 100,
  ]);
  expect([median([3, 1, 2]), median([])]).toEqual([2, NaN]);
});

test('calls at the same time are one step of the way', () => {
  const [read, beside, write] = [
    { began: 1, ended: 3 },
    { began: 2, ended: 4 },
    { began: 5, ended: 6 },
  ];
  expect(longestChain([read, beside, write])).toBe(2);
  expect(longestChain([read, write, { began: 7, ended: 8 }])).toBe(3);
  expect(longestChain([])).toBe(0);
});
