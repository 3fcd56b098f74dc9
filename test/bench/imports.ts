import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunctions, bundles } from '#infra/aws/bundle.ts';
import type { Table } from './page.ts';
import { median, rounded } from './page.ts';

const bare = 'bare-function';
/** Functions that each payment meets. */
const hot = [
  'workers-authorizer',
  'payouts-create',
  'pay-ins-create',
  'workers-relay-deliveries',
  'workers-deliver-notification',
];
/** Imports a bundle and prints the CPU of it, milliseconds. */
const script = `const before = process.cpuUsage();
await import(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);`;
/** What Lambda sets. */
const env = {
  NODE_OPTIONS: '--enable-source-maps',
  TZ: 'UTC',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

async function importCpuMs(module: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, module], {
    env,
  });
  return Number(stdout);
}

/**
 * Table 4: bundles as they are deployed, each imported by new processes, beside a function that has a client of the
 * database and nothing else. Each round imports all of them in turn, so that a busy moment meets all.
 */
export async function importsTable(
  folder: string,
  { rounds, all }: { readonly rounds: number; readonly all: boolean },
): Promise<Table> {
  const outdir = join(folder, 'functions');
  const measured = bundles('production').filter(({ name }) => all || hot.includes(name));
  const floor = { name: bare, source: 'test/bench/floor/bare-function.ts' };
  await bundleFunctions({ build: 'production', outdir, only: [...measured, floor] });
  const names = [bare, ...measured.map(({ name }) => name)];
  const taken = new Map(names.map((name): [string, number[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) taken.get(name)?.push(await importCpuMs(join(outdir, name, 'index.mjs')));
  const cpuMs = (name: string): number => median(taken.get(name) ?? []);
  const bySlowness = names.slice(1).toSorted((one, other) => cpuMs(other) - cpuMs(one));
  const [slowest = ''] = bySlowness;
  const middle = bySlowness[Math.floor(bySlowness.length / 2)] ?? '';
  const row = (label: string, name: string) => [label, rounded(cpuMs(name)), rounded(cpuMs(name) / cpuMs(bare))];
  return [
    ['Function', 'CPU, ms', 'Ratio to floor'],
    row('floor: only a DynamoDB client', bare),
    row(`the slowest of ${names.length - 1}: ${slowest}`, slowest),
    row(`the median: ${middle}`, middle),
    ...hot.map((name) => row(name, name)),
  ];
}
