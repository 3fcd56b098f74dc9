import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const ByName = z.record(z.string(), z.number());
/** Counts of one operation, as counts.py writes them. */
const Row = z.object({
  cases: z.number(),
  statuses: ByName,
  /** Reads of items that an earlier request of the run created, and the number of these reads that got 404. */
  reads: z.number(),
  missed: z.number(),
});
const Counts = z.object({ operations: z.record(z.string(), Row), faults: ByName });
type Row = z.infer<typeof Row>;
export type Counts = z.infer<typeof Counts>;

const nothing: Row = { cases: 0, statuses: {}, reads: 0, missed: 0 };

/** The counts of a run; empty when it sent nothing. */
export function readCounts(file: string): Counts {
  return existsSync(file) ? Counts.parse(JSON.parse(readFileSync(file, 'utf8'))) : { operations: {}, faults: {} };
}

/** The counts of several runs together. */
export function addCounts(all: readonly Counts[]): Counts {
  const names = new Set(all.flatMap(({ operations }) => Object.keys(operations)));
  const rowsOf = (name: string) => all.map(({ operations }) => operations[name] ?? nothing);
  return {
    operations: Object.fromEntries([...names].map((name) => [name, addRows(rowsOf(name))])),
    faults: addByName(all.map(({ faults }) => faults)),
  };
}

/** All operations in one row. */
export function totalOf({ operations }: Counts): Row {
  return addRows(Object.values(operations));
}

function addRows(rows: readonly Row[]): Row {
  const sum = (field: 'cases' | 'reads' | 'missed'): number => rows.reduce((total, row) => total + row[field], 0);
  const statuses = addByName(rows.map((row) => row.statuses));
  return { cases: sum('cases'), statuses, reads: sum('reads'), missed: sum('missed') };
}

function addByName(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = [...new Set(all.flatMap((counts) => Object.keys(counts)))].toSorted();
  return Object.fromEntries(names.map((name) => [name, all.reduce((sum, counts) => sum + (counts[name] ?? 0), 0)]));
}

/** Reads of created items with 404, percent; undefined without such reads. */
export function missedPercent({ reads, missed }: Pick<Row, 'reads' | 'missed'>): number | undefined {
  return reads === 0 ? undefined : (100 * missed) / reads;
}

/** Returns two tables for the terminal: the operations, with their total in the last row, and the injected faults. */
export function countTables(counts: Counts): string {
  const rows = Object.entries(counts.operations).toSorted(([a], [b]) => a.localeCompare(b));
  const operations = [...rows, ['all', totalOf(counts)] as const].map(([name, row]) => {
    const missed = missedPercent(row);
    const statuses = Object.entries(row.statuses).map(([status, count]) => `${status}: ${count}`);
    const reads = missed === undefined ? ['–', '–'] : [`${row.reads}`, `${missed.toFixed(1)} %`];
    return [name, `${row.cases}`, statuses.join(', '), ...reads];
  });
  const faults = Object.entries(counts.faults).map(([name, count]) => [name, `${count}`]);
  const head = ['Operation', 'Cases', 'Statuses', 'Reads of created items', '404 of them'];
  return [table(head, operations), table(['Fault', 'Cases'], faults)].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
