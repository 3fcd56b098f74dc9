import { join } from 'node:path';
import { bundleFunctions, bundles } from '#infra/aws/bundle.ts';
import { zippedBytes } from '#infra/tools/bundle-sizes.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median } from '../figures.ts';
import { invokeAlone } from '../function-process.ts';
import type { Measured } from '../invocations.ts';
import { measureInvocations } from '../invocations.ts';
import type { Invoked } from '../invoked.ts';
import type { InvokedName } from '../journey-events.ts';

const bare = 'bare';
/** With the libraries of every endpoint, and nothing of ours. */
const libraries = 'libraries';
const floor = 'a function with a DynamoDB client';
/** Invocations at the end, when nothing is new any more. */
const warm = 30;

/** Row 5: what a function weighs, what its import takes beside a function that has only a client of the database. */
export async function measureFunctions(run: BenchRun): Promise<readonly Figure[]> {
  const outdir = join(run.folder, 'functions');
  const all = bundles('production');
  const only = run.scale === 'smoke' ? all.slice(0, 1) : all;
  await bundleFunctions({
    build: 'production',
    outdir,
    only: [
      ...only,
      { name: bare, source: 'test/bench/floor/bare-function.ts' },
      { name: libraries, source: 'test/bench/floor/function-with-libraries.ts' },
    ],
  });
  const imports = await importRounds(run, outdir, [bare, libraries, ...only.map(({ name }) => name)]);
  return [
    ...sizeFigures(outdir, [...only.map(({ name }) => name)]),
    ...importFigures(imports),
    ...invocationFigures(await measureInvocations(run)),
  ];
}

function sizeFigures(outdir: string, names: readonly string[]): Figure[] {
  const least = [zippedBytes(join(outdir, bare)) / 1024];
  const sizes = names.map((name) => ({ name, kib: zippedBytes(join(outdir, name)) / 1024 }));
  const [largest] = sizes.toSorted((one, other) => other.kib - one.kib);
  const figure = (what: string, kib: number): Figure =>
    figureOf([kib], {
      what,
      unit: 'KiB zipped',
      against: { what: floor, rounds: least },
      target: { of: 'median', atMost: 200 },
    });
  return [
    figure(`size, the largest of ${names.length}: ${largest?.name ?? ''}`, largest?.kib ?? Number.NaN),
    figure('size, the median', median(sizes.map(({ kib }) => kib))),
  ];
}

type Rounds = ReadonlyMap<string, readonly Invoked[]>;

/** Each function imported in a new process, round by round, so that a busy moment meets all. */
async function importRounds(run: BenchRun, outdir: string, names: readonly string[]): Promise<Rounds> {
  const rounds = new Map(names.map((name): [string, Invoked[]] => [name, []]));
  for (let round = 0; round < run.choose({ full: 5, quick: 1, smoke: 1 }); round += 1)
    for (const name of names) {
      run.tell(`import of ${name}, round ${round + 1}`);
      rounds.get(name)?.push(await invokeAlone({ module: join(outdir, name, 'index.mjs'), events: [] }));
    }
  return rounds;
}

function importFigures(rounds: Rounds): Figure[] {
  const of = (name: string, what: 'importMs' | 'importCpuMs' | 'importMb'): number[] =>
    (rounds.get(name) ?? []).map((one) => one[what]);
  const names = [...rounds.keys()].filter((name) => name !== bare && name !== libraries);
  const slowest = names.toSorted((one, other) => median(of(other, 'importCpuMs')) - median(of(one, 'importCpuMs')));
  const shown = new Set([
    slowest[0] ?? '',
    slowest[Math.floor(slowest.length / 2)] ?? '',
    ...hot.filter((name) => names.includes(name)),
  ]);
  const librariesAlone = figureOf(of(libraries, 'importCpuMs'), {
    what: 'import, the libraries of every endpoint alone',
    unit: 'ms of computing',
    against: { what: floor, rounds: of(bare, 'importCpuMs') },
    beside: 'client and document client of DynamoDB, zod, middy',
  });
  const functions = [...shown].flatMap((name, place) => {
    const label = ['the slowest, ', 'the median, '][place] ?? '';
    return [
      figureOf(of(name, 'importCpuMs'), {
        what: `import, ${label}${name}`,
        unit: 'ms of computing',
        against: { what: floor, rounds: of(bare, 'importCpuMs') },
        beside: `${median(of(name, 'importMs')).toFixed(0)} ms on the clock`,
        target: { of: 'ratio', atMost: 1.3 },
      }),
      figureOf(of(name, 'importMb'), {
        what: `memory of the import, ${label}${name}`,
        unit: 'MB',
        against: { what: floor, rounds: of(bare, 'importMb') },
      }),
    ];
  });
  return [librariesAlone, ...functions];
}

/** The functions that each payment meets. */
const hot = [
  'workers-authorizer',
  'payouts-create',
  'pay-ins-create',
  'workers-relay-deliveries',
  'workers-deliver-notification',
];

function invocationFigures(measured: Readonly<Record<InvokedName, Measured>>): Figure[] {
  const shown: readonly InvokedName[] = [
    'payouts-create',
    'pay-ins-create',
    'workers-relay-deliveries',
    'workers-deliver-notification',
  ];
  return shown.flatMap((name) => {
    const { invocations, endMb } = measured[name];
    const [first, ...others] = invocations;
    const rounds = others.slice(-warm);
    return [
      figureOf([first?.ms ?? Number.NaN], { what: `first invocation, ${name}`, unit: 'ms' }),
      figureOf([median(rounds.map(({ ms }) => ms))], {
        what: `warm invocation, ${name}`,
        unit: 'ms',
        beside: `computing ${median(rounds.map(({ cpuMs }) => cpuMs)).toFixed(2)} ms; the process has ${endMb.toFixed(0)} MB`,
      }),
    ];
  });
}
