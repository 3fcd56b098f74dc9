import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { liveApart } from './runs.ts';

/*
 * `npm run tool -- --conditions=simulation test/simulation/planted.ts`: injects small faults into the service, one at a
 * time, each into a copy of the tree. The simulation must find each of them; a fault that it does not find shows a gap
 * of the simulation.
 */

const root = join(import.meta.dirname, '..', '..');
const folder = join(import.meta.dirname, 'planted');
/** Parts of the tree that a run reads. */
const parts = ['functions', 'shared', 'infra', 'test', 'docs', 'package.json'];
const longestSteps = 200_000;
const stepsPerLife = 10_000;

export type Planted = { readonly name: string; readonly story: string; readonly file: string };

/** The faults, by the names of their patches: a line that describes the fault, then the patch. */
export function readPlanted(): readonly Planted[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.patch'));
  return names.toSorted().map((name) => {
    const file = join(folder, name);
    const [story = ''] = readFileSync(file, 'utf8').split('\n');
    return { name: name.replace('.patch', ''), story, file };
  });
}

/**
 * The faults that the arguments name; without a name those of `usual`. Undefined, with the usage printed, for `--help`
 * and for an unknown name, which would otherwise be skipped silently.
 */
export function chooseFaults(
  command: string,
  args: readonly string[],
  usual: readonly string[],
): readonly Planted[] | undefined {
  const options = { help: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const all = readPlanted();
  const unknown = positionals.filter((name) => all.every((planted) => planted.name !== name));
  if (values.help === true || unknown.length > 0) {
    if (unknown.length > 0) console.error(`There is no injected fault ${unknown.join(', ')}.`);
    console.error(
      `${command} [fault …]\n\nThe injected faults are the patches in test/simulation/planted. Default: ${usual.length} of ${all.length}.`,
    );
    return undefined;
  }
  const wanted = positionals.length > 0 ? positionals : usual;
  return all.filter(({ name }) => wanted.includes(name));
}

/** A copy of the tree with the fault in it, for its caller to remove. @param more parts beside those of a life */
export function plant({ file }: Planted, more: readonly string[] = []): string {
  const copy = mkdtempSync(join(tmpdir(), 'planted-'));
  for (const part of [...parts, ...more]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('git', ['apply', file], { cwd: copy });
  return copy;
}

type Sought = Planted & { readonly invariant: string | undefined; readonly steps: number; readonly runCount: number };

/** Runs of the service with the fault, until one finds it. */
export async function seek(planted: Planted): Promise<Sought> {
  const copy = plant(planted);
  try {
    let steps = 0;
    for (let seed = 1; steps < longestSteps; seed += 1) {
      const faults = seed % 3 === 0 ? 'some' : 'all';
      const options = { seed, steps: stepsPerLife, companies: 4, faults } as const;
      const run = await liveApart(options, copy);
      const [found] = run.found;
      if (found !== undefined)
        return { ...planted, invariant: found.invariant, steps: steps + found.step, runCount: seed };
      steps += run.stepCount;
    }
    return { ...planted, invariant: undefined, steps, runCount: Infinity };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const usual = readPlanted().map(({ name }) => name);
  const chosen = chooseFaults(
    'npm run tool -- --conditions=simulation test/simulation/planted.ts',
    process.argv.slice(2),
    usual,
  );
  if (chosen === undefined) return 2;
  const waiting = chosen.values();
  const sought: Sought[] = [];
  const work = async (): Promise<void> => {
    for (const planted of waiting) {
      const found = await seek(planted);
      sought.push(found);
      console.log(`| ${found.name} | ${found.invariant ?? 'NOT FOUND'} | ${found.steps} |`);
    }
  };
  await Promise.all([work(), work()]);
  const missed = sought.filter(({ invariant }) => invariant === undefined).length;
  console.log(`${sought.length - missed} passed, ${missed} failed`);
  return missed === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
