import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * How long the local environment takes to be ready, and one environment to synthesize, beside a floor from the same run: Node
 * starting and doing nothing. `node test/bench/start-up.ts`; each row is the median of three.
 */

const RUNS = 3;

async function nodeAlone(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function start(folder: string): Promise<number> {
  const started = performance.now();
  const env = { ...process.env, PORT: '0', LOCAL_DIR: folder };
  const child = spawn(process.execPath, ['infra/local/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('ready')) break;
  const took = performance.now() - started;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return took;
}

async function firstAndNextStart(): Promise<readonly [number, number]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const first = await start(folder);
  const next = await start(folder);
  await rm(folder, { recursive: true });
  return [first, next];
}

async function synthesis(): Promise<number> {
  const started = performance.now();
  const cli = spawn('node_modules/.bin/cdk', ['synth', 'Hml/*', '--quiet'], { stdio: 'ignore' });
  const [code] = (await once(cli, 'exit')) as [number];
  if (code !== 0) throw new Error('cdk synth failed.');
  return performance.now() - started;
}

async function repeat<T>(work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let run = 0; run < RUNS; run += 1) results.push(await work());
  return results;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const floor = median(await repeat(nodeAlone));
const starts = await repeat(firstAndNextStart);
const rows: readonly (readonly [string, number])[] = [
  ['floor: node -e 0', floor],
  ['npm start, new folder', median(starts.map(([first]) => first))],
  ['npm start, kept folder', median(starts.map(([, next]) => next))],
  ["cdk synth 'Hml/*'", median(await repeat(synthesis))],
];
for (const [name, ms] of rows)
  process.stdout.write(
    `${name.padEnd(26)} ${(ms / 1000).toFixed(2).padStart(7)} s ${(ms / floor).toFixed(0).padStart(5)} × floor\n`,
  );
