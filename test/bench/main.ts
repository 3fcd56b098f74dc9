import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Scale } from './bench-run.ts';
import { withBench } from './bench-run.ts';
import { documentsOf, resultsDocument, resultsFile, tablesOf } from './document.ts';
import { isMet, Results } from './figures.ts';
import { familyOf } from './processes.ts';
import { rows } from './rows.ts';

const help = `npm run bench [-- options]

Measures the service on this machine and prints a table for each row; a quarter of an hour on two quiet cores. A whole
run writes docs/benchmarks.json, the tables of docs/benchmarks.md, and their plots.

  --row N    this row alone (again for another), written nowhere:
${Object.entries(rows)
  .map(([row, { title }]) => `               ${row}  ${title}`)
  .join('\n')}
  --quick    small sizes and one round, written nowhere unless --write is there too
  --smoke    sizes that only show that the bench runs, written nowhere
  --again    measures nothing, and writes the documents of the last results again
  --help     this text

It ends with 0 also where a target is missed: a figure is judged by people.
`;

const root = join(import.meta.dirname, '../..');

type Options = {
  readonly again: boolean;
  readonly scale: Scale;
  readonly wanted: readonly number[];
  readonly writes: boolean;
};

/** @throws Error with one line for the person at the terminal. */
function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      row: { type: 'string', multiple: true },
      quick: { type: 'boolean' },
      write: { type: 'boolean' },
      again: { type: 'boolean' },
      smoke: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const all = Object.keys(rows);
  const named = values.row ?? all;
  const unknown = named.filter((row) => !all.includes(row));
  if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}: the rows are ${all.join(', ')}.`);
  const scale = values.smoke === true ? 'smoke' : values.quick === true ? 'quick' : 'full';
  return {
    again: values.again === true,
    scale,
    wanted: named.map(Number),
    writes: values.row === undefined && (scale === 'full' || (scale === 'quick' && values.write === true)),
  };
}

/** Ended early, a bench ends what it started: environments have process groups of their own. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        reject(new Error(`Ended by ${signal}.`));
      });
  });
}

async function measure({ scale, wanted }: Options): Promise<Results> {
  const started = performance.now();
  const interrupted = interruption();
  interrupted.catch(() => undefined);
  const measured = await withBench(scale, async (bench) => {
    const done: Results['rows'] = [];
    for (const row of wanted) {
      const { title, measure: measureRow } = rows[row] ?? {};
      if (measureRow === undefined) continue;
      const figures = await bench.measure(`row ${row}, ${title}`, (run) =>
        Promise.race([measureRow(run), interrupted]),
      );
      done.push({ row, figures: [...figures] });
      process.stdout.write(`\n${row}. ${title}\n\n${tablesOf(figures)}\n`);
    }
    return done;
  });
  const [core] = cpus();
  return {
    scale,
    machine: `${availableParallelism()} cores (${core?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    versions: `Node ${process.version}, ${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
    seconds: Math.round((performance.now() - started) / 1000),
    rows: measured,
  };
}

async function run(): Promise<void> {
  const options = readOptions();
  if (options === undefined) {
    process.stdout.write(help);
    return;
  }
  if (options.again) {
    await write(Results.parse(JSON.parse(await readFile(join(root, resultsFile), 'utf8'))));
    return;
  }
  const results = await measure(options);
  const missed = results.rows.flatMap(({ row, figures }) =>
    figures
      .filter((figure) => isMet(figure) === false)
      .map(({ what, at }) => `${row}: ${what}${at === undefined ? '' : ` (${at})`}`),
  );
  process.stdout.write(`\n${results.seconds} seconds. Targets missed: ${missed.join('; ') || 'none'}.\n`);
  if (options.writes) await write(results);
}

async function write(results: Results): Promise<void> {
  const documents = await documentsOf(results, await readFile(join(root, resultsDocument), 'utf8'));
  for (const [path, text] of Object.entries(documents)) await writeFile(join(root, path), text);
  process.stdout.write(`Written: ${Object.keys(documents).join(', ')}.\n`);
}

/** What a person can put right or has asked for is one line; everything else shows where it came from. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message.startsWith('Ended by')) return error.message;
  if ('code' in error || error.message.startsWith('There is no row'))
    return `${error.message} See npm run bench -- --help.`;
  return error.stack ?? error.message;
}

run().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  // An environment that was just starting is in no list yet.
  for (const pid of familyOf(process.pid)) if (pid !== process.pid) process.kill(pid, 'SIGTERM');
  // Whatever was being measured may still be waited for.
  process.exit(1);
});
