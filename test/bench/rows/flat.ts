import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { join } from 'node:path';
import { startBenchedIn } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import { smallest } from '../document.ts';
import type { Figure } from '../figures.ts';
import { figureOf, tidy } from '../figures.ts';
import type { FlatWorld, Operation } from '../flat-world.ts';
import { flatWorld } from '../flat-world.ts';
import type { Kind } from '../multiplied-rows.ts';
import { multiplyRows, watchRows } from '../multiplied-rows.ts';
import type { SwappedEngine } from '../swapped-engine.ts';
import { swappedEngine } from '../swapped-engine.ts';

type Measurement = { readonly rounds: readonly number[]; readonly unit: string; readonly beside: string };
/** By the operation, then by the size. */
type Measurements = Map<string, Map<number, Measurement>>;

/** Row 3: what each operation costs the engine, whatever there is of everything. */
export async function measureFlatness(run: BenchRun): Promise<readonly Figure[]> {
  const folder = join(run.folder, 'flat');
  const { tableName, local } = await startBenchedIn(run, folder);
  await local.stop();
  const file = join(folder, 'dynamodb.db');
  const engine = swappedEngine(folder, tableName);
  run.atEnd(engine.stop);
  await engine.start();
  run.tell('one of everything');
  const world = await flatWorld(engine.store);
  const kinds = await makeSamples(world, file, tableName, engine);
  const measurements: Measurements = new Map();
  const note = (name: string, size: number, one: Measurement): void => {
    measurements.set(name, (measurements.get(name) ?? new Map<number, Measurement>()).set(size, one));
  };
  let there = 1;
  for (const size of run.choose({ full: [100, 1000, 10_000, 100_000], quick: [100, 1000], smoke: [10, 20] })) {
    run.tell(`${size} of everything are made`);
    await engine.stop();
    for (const kind of kinds) multiplyRows(file, kind, { from: there, to: size });
    there = size;
    await engine.start();
    for (const [name, operation] of Object.entries(world.operations)) {
      run.tell(`${name}, among ${size} of everything`);
      note(name, size, await measureOperation(run, operation, engine));
    }
    await engine.stop();
    run.tell(`start with ${size} of everything`);
    for (const [name, one] of Object.entries(await measureStart(run, folder))) note(name, size, one);
    await engine.start();
  }
  return [...measurements].flatMap(([name, bySize]) => figuresOf(name, bySize));
}

/** One of each kind, made by the service, and the rows that it left in the engine's database. */
async function makeSamples(
  world: FlatWorld,
  file: string,
  tableName: string,
  engine: SwappedEngine,
): Promise<readonly Kind[]> {
  const { samples, ids, settle } = world;
  const shared = Object.values(ids);
  const newCompany = crypto.randomUUID();
  // Deliveries are a kind of their own: what orders and payments told is not counted a second time.
  const rowsOf = async (make: () => Promise<unknown>, without?: string) => {
    const sampled = watchRows(file, tableName, without);
    await make();
    const found = await engine.client().send(new ScanCommand({ TableName: tableName }));
    const pending = (found.Items ?? []).filter((item) => item['entity'] === 'DELIVERY' && item['status'] === 'PENDING');
    await settle(pending.map((item) => String(item['id'])));
    return sampled();
  };
  return [
    { sample: await rowsOf(samples.orders, '#DLV#'), shared },
    { sample: await rowsOf(samples.deliveries), shared },
    { sample: await rowsOf(() => samples.accounts(crypto.randomUUID())), shared, own: ['XD00000000'] },
    { sample: await rowsOf(samples.payments, '#DLV#'), shared },
    {
      sample: await rowsOf(() => samples.companies(newCompany)),
      shared: shared.filter((id) => id !== ids.companyId),
    },
  ];
}

async function measureOperation(
  run: BenchRun,
  { prepare, run: perform }: Operation,
  engine: SwappedEngine,
): Promise<Measurement> {
  const repeated = run.choose({ full: 20, quick: 10, smoke: 1 });
  const rounds: number[] = [];
  let calls = 0;
  let units = 0;
  // The first round finds the engine's cache cold, and is not counted.
  for (let round = 0; round <= run.choose({ full: 3, quick: 1, smoke: 1 }); round += 1) {
    const prepared: string[] = [];
    for (let count = 0; count < repeated; count += 1) prepared.push((await prepare?.()) ?? '');
    Object.assign(engine.counted, { calls: 0, units: 0 });
    const before = engine.usedMs();
    for (const one of prepared) await perform(one);
    if (round > 0) rounds.push((engine.usedMs() - before) / repeated);
    calls = engine.counted.calls / repeated;
    units = engine.counted.units / repeated;
  }
  return { rounds, unit: 'ms', beside: `${tidy(calls)} calls, ${tidy(units)} units` };
}

/** A start of the environment on everything that is there. */
async function measureStart(run: BenchRun, folder: string): Promise<Readonly<Record<string, Measurement>>> {
  const ready: number[] = [];
  const engineMs: number[] = [];
  for (let round = 0; round < run.rounds; round += 1) {
    const { local, used } = await startBenchedIn(run, folder);
    ready.push(local.startedInMs);
    engineMs.push(used().engine);
    await local.stop();
  }
  return {
    'Start, until ready': { rounds: ready, unit: 'ms in all', beside: '' },
    'Start, the engine': { rounds: engineMs, unit: 'ms', beside: '' },
  };
}

function figuresOf(what: string, bySize: ReadonlyMap<number, Measurement>): Figure[] {
  const [least] = bySize.values();
  return [...bySize].map(([at, { rounds, unit, beside }]) =>
    figureOf(rounds, {
      ...{ what, at, unit, beside },
      against: { what: smallest, rounds: least?.rounds ?? [] },
      target: { of: 'ratio', atMost: 1.3 },
    }),
  );
}
