import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { cpSync } from 'node:fs';
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

/** Computing of the engine that a round of an operation takes at least: less than that is the machine's own noise. */
const leastMs = 30;

/**
 * Row 3: what each operation costs the engine, whatever there is of everything. Every size has an engine of its own,
 * and a round measures all of them in turn, so that a busy moment meets all sizes.
 */
export async function measureFlatness(run: BenchRun): Promise<readonly Figure[]> {
  const origin = join(run.folder, 'flat');
  const { tableName, local } = await startBenchedIn(run, origin);
  await local.stop();
  const engine = swappedEngine(tableName);
  run.atEnd(engine.stopAll);
  await engine.use(origin);
  run.tell('one of everything');
  const world = await flatWorld(engine.store);
  const kinds = await makeSamples(world, databaseOf(origin), tableName, engine);
  await engine.stopAll();
  const folders = new Map<number, string>();
  for (const size of run.choose({ full: [100, 1000, 10_000, 100_000], quick: [100, 1000], smoke: [10, 20] })) {
    run.tell(`${size} of everything are made`);
    const folder = join(run.folder, `flat-${size}`);
    cpSync(origin, folder, { recursive: true });
    for (const kind of kinds) multiplyRows(databaseOf(folder), kind, { from: 1, to: size });
    folders.set(size, folder);
  }
  const measurements: [string, ReadonlyMap<number, Measurement>][] = [];
  for (const [name, operation] of Object.entries(world.operations)) {
    run.tell(name);
    measurements.push([name, await measureOperation(run, operation, engine, folders)]);
  }
  await engine.stopAll();
  measurements.push(...(await measureStarts(run, folders)));
  return measurements.flatMap(([name, bySize]) => figuresOf(name, bySize));
}

function databaseOf(folder: string): string {
  return join(folder, 'dynamodb.db');
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
  operation: Operation,
  engine: SwappedEngine,
  folders: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, Measurement>> {
  const bySize = new Map<number, { readonly repeated: number; readonly rounds: Round[] }>();
  for (const [size, folder] of folders) {
    await engine.use(folder);
    // The first round finds the engine's cache cold, and says how often the others repeat; it is not counted.
    const { ms } = await roundOf(operation, engine, run.choose({ full: 10, quick: 5, smoke: 1 }));
    const enough = Math.min(60, Math.max(10, Math.ceil(leastMs / ms)));
    bySize.set(size, { repeated: run.choose({ full: enough, quick: 10, smoke: 1 }), rounds: [] });
  }
  for (let round = 0; round < run.choose({ full: 5, quick: 1, smoke: 1 }); round += 1)
    for (const [size, folder] of folders) {
      await engine.use(folder);
      const one = bySize.get(size);
      one?.rounds.push(await roundOf(operation, engine, one.repeated));
    }
  return new Map(
    [...bySize].map(([size, { rounds }]) => {
      const [{ calls, units } = { calls: 0, units: 0 }] = rounds;
      const beside = `${tidy(calls)} calls, ${tidy(units)} units`;
      return [size, { rounds: rounds.map(({ ms }) => ms), unit: 'ms', beside }];
    }),
  );
}

/** What one of them takes. */
type Round = { readonly ms: number; readonly calls: number; readonly units: number };

async function roundOf({ prepare, run: perform }: Operation, engine: SwappedEngine, repeated: number): Promise<Round> {
  const prepared: string[] = [];
  for (let count = 0; count < repeated; count += 1) prepared.push((await prepare?.()) ?? '');
  Object.assign(engine.counted, { calls: 0, units: 0 });
  const before = engine.usedMs();
  for (const one of prepared) await perform(one);
  const { calls, units } = engine.counted;
  return { ms: (engine.usedMs() - before) / repeated, calls: calls / repeated, units: units / repeated };
}

/** The engine's own: it counts the items of a table that is described, and a start describes it once. */
const counting = 'Of that start, the engine counts the table';

/** Starts of the environment on everything that is there. */
async function measureStarts(
  run: BenchRun,
  folders: ReadonlyMap<number, string>,
): Promise<readonly [string, ReadonlyMap<number, Measurement>][]> {
  const rounds = new Map([...folders.keys()].map((size) => [size, [] as Start[]]));
  // The first start of a folder makes indexes of what was written behind the engine's back, and is not counted.
  const first = run.choose({ full: 0, quick: 0, smoke: 1 });
  for (let round = first; round <= run.rounds; round += 1)
    for (const [size, folder] of folders) {
      run.tell(`start with ${size} of everything, round ${round}`);
      const start = await startOn(run, folder);
      if (round > 0) rounds.get(size)?.push(start);
    }
  const of = (what: keyof Start, unit: string): ReadonlyMap<number, Measurement> =>
    new Map([...rounds].map(([size, starts]) => [size, { rounds: starts.map((one) => one[what]), unit, beside: '' }]));
  return [
    ['Start, until ready', of('readyMs', 'ms in all')],
    ['Start, the engine', of('engineMs', 'ms')],
    [counting, of('countingMs', 'ms')],
  ];
}

type Start = Readonly<Record<'readyMs' | 'engineMs' | 'countingMs', number>>;

async function startOn(run: BenchRun, folder: string): Promise<Start> {
  const { local, used, dynamodb, tableName } = await startBenchedIn(run, folder);
  const engineMs = used().engine;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: dynamodb, region: 'us-east-1', credentials });
  const counts: number[] = [];
  // What else the start left to be done takes some of the same time: the least of them is the count alone.
  for (let time = 0; time < 3; time += 1) {
    const before = used().engine;
    await client.send(new DescribeTableCommand({ TableName: tableName }));
    counts.push(used().engine - before);
  }
  client.destroy();
  await local.stop();
  return { readyMs: local.startedInMs, engineMs, countingMs: Math.min(...counts) };
}

function figuresOf(what: string, bySize: ReadonlyMap<number, Measurement>): Figure[] {
  const [least] = bySize.values();
  return [...bySize].map(([at, { rounds, unit, beside }]) =>
    figureOf(rounds, {
      ...{ what, at, unit, beside },
      against: { what: smallest, rounds: least?.rounds ?? [] },
      ...(what !== counting && { target: { of: 'ratio', atMost: 1.3 } }),
    }),
  );
}
