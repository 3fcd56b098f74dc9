import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crash } from './cycles.ts';
import { reportRows, showFound } from './report.ts';

/* `npm run crash`: kills the service at random times and checks its data. */

const presets = { cycles: 20, seed: 1, minutes: 1_000_000, 'quiet-every': 50 };

const usage = `npm run crash -- [--cycles N] [--seed N] [--minutes N] [--quiet-every N]

Runs the local environment with simulated partners, kills it with SIGKILL at random times, without or with its
database, restarts it with the same data, and checks from outside that no acknowledged request is lost or executed
twice. A violated invariant ends the run and keeps the data.

  --cycles       number of kills (default ${presets.cycles})
  --seed         seed of the requests, the times and the kinds of kill (default ${presets.seed})
  --minutes      starts no cycle after this time
  --quiet-every  cycles between full checks without traffic; there is one more at the end (default ${presets['quiet-every']})`;

function readNumbers(args: readonly string[]): typeof presets | undefined {
  const text = { type: 'string' } as const;
  const options = { cycles: text, seed: text, minutes: text, 'quiet-every': text, help: { type: 'boolean' } } as const;
  const { help, ...values } = parseArgs({ args: [...args], options }).values;
  const given = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
  const read = { ...presets, ...given };
  const isWhole = Object.values(read).every((value) => Number.isSafeInteger(value) && value > 0);
  return help !== true && isWhole ? read : undefined;
}

async function main(): Promise<number> {
  const options = readNumbers(process.argv.slice(2));
  if (options === undefined) {
    console.error(usage);
    return 2;
  }
  const { seed, cycles, minutes, 'quiet-every': quietEvery } = options;
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  console.log(`seed ${seed}, data in ${folder}`);
  const began = performance.now();
  const report = await crash({ folder, seed, cycles, minutes, quietEvery, print: console.log });
  const { found } = report;
  showFound(seed, found);
  console.log('\n| What | Count |\n| --- | --- |');
  for (const [name, value] of reportRows(report, (performance.now() - began) / 1000))
    console.log(`| ${name} | ${value} |`);
  const failed = new Set(found.map(({ cycle }) => cycle)).size;
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`\nData and logs are kept in ${folder}.`);
  console.log(`${report.cycles - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
