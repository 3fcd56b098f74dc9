import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { chooseFaults, plant } from '#test/simulation/planted.ts';
import type { Planted } from '#test/simulation/planted.ts';

/*
 * `npm run tool -- test/crash/planted.ts`: injects small faults into the service, one at a time, each into a copy of
 * the tree. The crash tests must find each of them; a fault that they do not find shows a gap of the tests.
 */

/** The injected faults of the simulation that are visible from outside. Arguments name others. */
const names = [
  'delivery-acknowledged-too-early',
  'entry-with-another-amount',
  'key-not-kept',
  'outbox-entry-not-written',
];
const mostCycles = 16;

type Sought = { readonly invariant: string | undefined; readonly text: string; readonly cycles: number };

/** Cycles of the crash tests with the fault, until they find it. */
async function seek(planted: Planted): Promise<Sought> {
  const copy = plant(planted, ['cdk.json', 'tsconfig.json']);
  try {
    const args = ['-r', './tools/gate.cjs', 'test/crash/main.ts', '--cycles', `${mostCycles}`, '--quiet-every', '4'];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const first = /FOUND by seed \d+ in cycle (\d+): (.+)\n +(.*)/u.exec(output) ?? [];
    const [, cycle = mostCycles, invariant, found = ''] = first;
    const [, folder] = /kept in (\S+)\.$/mu.exec(output) ?? [];
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return { invariant, text: found, cycles: Number(cycle) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const chosen = chooseFaults('npm run tool -- test/crash/planted.ts', process.argv.slice(2), names);
  if (chosen === undefined) return 2;
  let missed = 0;
  for (const planted of chosen) {
    const { invariant, text: found, cycles } = await seek(planted);
    if (invariant === undefined) missed += 1;
    console.log(found.slice(0, 200));
    console.log(`| ${planted.name} | ${invariant ?? 'NOT FOUND'} | ${cycles} |`);
  }
  console.log(missed === 0 ? 'The crash tests found all injected faults.' : `Not found: ${missed} injected faults.`);
  return missed === 0 ? 0 : 1;
}

process.exitCode = await main();
