import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureDeliveries } from './deliveries.ts';
import { measureBankCalls } from './bank-calls.ts';
import { importsTable } from './imports.ts';
import { callsTable, measureOperations, unitsTable } from './operations.ts';
import { markdown, withTables } from './page.ts';
import { measureStatement } from './statement.ts';

const help = `npm run bench [-- --smoke]

Measures the service on this machine, prints seven tables and writes them into docs/benchmarks.md. It takes some minutes.

  --smoke    minimal sizes, which only test that the benchmarks run; writes nothing
  --help     this text
`;

const sizes = {
  full: {
    operations: 4,
    imports: { rounds: 3, all: true },
    deliveries: { rounds: 3, count: 500 },
    bank: { rounds: 9, calls: 1000 },
    statement: { entries: 1_000_000 },
  },
  smoke: {
    operations: 1,
    imports: { rounds: 1, all: false },
    deliveries: { rounds: 1, count: 20 },
    bank: { rounds: 1, calls: 20 },
    statement: { entries: 1000 },
  },
} as const;

async function measure(scale: keyof typeof sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    const { operations, imports, deliveries, bank, statement } = sizes[scale];
    const measured = await measureOperations(operations);
    const banks = await measureBankCalls(bank);
    const cold = await importsTable(folder, imports);
    const delivered = await measureDeliveries(folder, deliveries);
    const verified = await measureStatement(folder, statement);
    const tables = {
      units: unitsTable(measured),
      calls: callsTable(measured),
      ...delivered,
      banks,
      statement: verified,
      imports: cold,
    };
    return tables;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { smoke: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
if (values.help === true) {
  process.stdout.write(help);
} else {
  const load = loadavg()[0]?.toFixed(1) ?? 'unknown';
  const tables = await measure(values.smoke === true ? 'smoke' : 'full');
  for (const [name, table] of Object.entries(tables)) process.stdout.write(`\n${name}\n\n${markdown(table)}\n`);
  if (values.smoke !== true) {
    const page = new URL('../../docs/benchmarks.md', import.meta.url);
    const machine = `Measured on ${new Date().toISOString().slice(0, 10)}: ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}; load average ${load} at the start.`;
    await writeFile(page, withTables(await readFile(page, 'utf8'), { machine, ...tables }));
  }
}
