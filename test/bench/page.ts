/** One table of docs/benchmarks.md: a line of names, and a line for each thing that is measured. */
export type Table = readonly (readonly (string | number)[])[];

/** The page with each table between `<!-- name -->` and `<!-- end -->` written again. */
export function withTables(page: string, tables: Readonly<Record<string, Table | string>>): string {
  return page.replaceAll(/<!-- (?!end)(\w+) -->\n[^]*?<!-- end -->/gu, (block, name: string) => {
    const written = tables[name];
    if (written === undefined) return block;
    return `<!-- ${name} -->\n\n${typeof written === 'string' ? written : markdown(written)}\n\n<!-- end -->`;
  });
}

/** A table as Markdown has it. */
export function markdown([head = [], ...rows]: Table): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, column) => (isNumber(rows[0]?.[column]) ? '--:' : '---'))),
    ...rows.map(line),
  ].join('\n');
}

function isNumber(cell: string | number | undefined): boolean {
  return typeof cell === 'number' || /^[\d.]+$/u.test(cell ?? '');
}

/** The value in the middle; NaN where there is none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a part of the values lies, 0.99 of them for example; NaN where there is none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** Three digits hold all that a measurement knows. */
export function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
