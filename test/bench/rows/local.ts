import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { brl, payout } from '#test/acceptance/samples.ts';
import type { Benched } from '../benched-environment.ts';
import { startBenchedIn } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf } from '../figures.ts';
import { loadWith } from '../load.ts';
import { residentMb } from '../processes.ts';

/** Row 6: what it takes to have the service on a laptop, beside the least that a start of Node takes. */
export async function measureLocal(run: BenchRun): Promise<readonly Figure[]> {
  const starts = { floor: [] as number[], fresh: [] as number[], kept: [] as number[] };
  let benched: Benched | undefined;
  for (let round = 0; round < run.rounds; round += 1) {
    await benched?.local.stop();
    run.tell(`start ${round + 1} of ${run.rounds}`);
    starts.floor.push(await startOf(process.execPath, ['-e', '0']));
    const folder = join(run.folder, `local-${round}`);
    const fresh = await startBenchedIn(run, folder);
    starts.fresh.push(fresh.local.startedInMs);
    await fresh.local.stop();
    benched = await startBenchedIn(run, folder);
    starts.kept.push(benched.local.startedInMs);
  }
  if (benched === undefined) return [];
  return [...readyFigures(starts), ...(await restAndLoad(run, benched)), ...(await synthesis(run, starts.floor))];
}

function readyFigures({ floor, fresh, kept }: Readonly<Record<'floor' | 'fresh' | 'kept', number[]>>): Figure[] {
  const against = { what: 'node -e 0', rounds: floor };
  const target = { of: 'median', atMost: 2000 } as const;
  return [
    figureOf(fresh, { what: 'ready, new folder', unit: 'ms', against, target }),
    figureOf(kept, { what: 'ready, kept folder', unit: 'ms', against, target }),
  ];
}

/** Memory and computing while nobody calls, memory under load, and what is kept of it. */
async function restAndLoad(run: BenchRun, benched: Benched): Promise<Figure[]> {
  const memory = (): number => residentMb([benched.processId, benched.engineId]);
  const atStart = memory();
  run.tell('idle');
  // Functions that the start called end their work first.
  await sleep(run.choose({ full: 3000, quick: 1000, smoke: 0 }));
  const idle: number[] = [];
  for (let round = 0; round < run.rounds; round += 1) idle.push(await idleShare(run, benched));
  const before = { mb: folderMb(benched.local.folder) };
  const half = run.choose({ full: 2500, quick: 200, smoke: 5 });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, memory())), 100);
  const { partner, accountId } = benched;
  const create = async (): Promise<void> => {
    const { status, text } = await partner.answer(CreatePayout, { body: payout(accountId, { amount: brl('0.01') }) });
    if (status !== 201) throw new Error(`A payout was answered with ${status}: ${text}`);
  };
  const sizes: number[] = [];
  for (const part of [1, 2]) {
    run.tell(`${part * half} payouts`);
    await loadWith(create, { connections: 50, durationMs: Infinity, atMost: half });
    sizes.push(folderMb(benched.local.folder));
  }
  clearInterval(watch);
  const [first = 0, second = 0] = sizes;
  return [
    figureOf([atStart], { what: 'memory when ready', unit: 'MB', target: { of: 'median', atMost: 250 } }),
    figureOf([Math.max(peak, memory())], {
      what: `memory at its peak, ${2 * half} payouts by 50 connections`,
      unit: 'MB',
      target: { of: 'median', atMost: 600 },
    }),
    figureOf(idle, { what: 'idle', unit: '% of a core', target: { of: 'median', atMost: 1 } }),
    figureOf([((second - first) / half) * 1000], {
      what: 'data of a payout, the second half of them',
      unit: 'kB',
      against: { what: 'the first half', rounds: [((first - before.mb) / half) * 1000] },
    }),
  ];
}

async function idleShare(run: BenchRun, benched: Benched): Promise<number> {
  const before = benched.used();
  const started = performance.now();
  await sleep(run.choose({ full: 5000, quick: 2000, smoke: 50 }));
  const { node, engine } = benched.used();
  return ((node + engine - before.node - before.engine) / (performance.now() - started)) * 100;
}

/** The CDK's own start, which developers wait for as well. */
async function synthesis(run: BenchRun, floor: readonly number[]): Promise<Figure[]> {
  if (run.scale === 'smoke') return [];
  run.tell('synthesis');
  const rounds = [await startOf('node_modules/.bin/cdk', ['synth', 'Hml/*', '--quiet'])];
  return [figureOf(rounds, { what: "cdk synth 'Hml/*'", unit: 'ms', against: { what: 'node -e 0', rounds: floor } })];
}

async function startOf(command: string, parameters: readonly string[]): Promise<number> {
  const started = performance.now();
  const [code] = (await once(spawn(command, parameters, { stdio: 'ignore' }), 'exit')) as [number];
  if (code !== 0) throw new Error(`${command} ended with ${code}.`);
  return performance.now() - started;
}

/** What the folder's databases hold, megabytes; logs are the functions' own. */
function folderMb(folder: string): number {
  const files = readdirSync(folder).filter((name) => /\.db(?:-wal)?$/u.test(name));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1_000_000;
}
