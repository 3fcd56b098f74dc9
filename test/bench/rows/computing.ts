import type { Benched } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Kind, Shares } from '../computing-shares.ts';
import { computingKinds, kindOfPackage, looksAtIdle, sharesOf } from '../computing-shares.ts';
import type { Profiled } from '../cpu-profile.ts';
import { startProfile } from '../cpu-profile.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median } from '../figures.ts';
import { threadName, threadsOf } from '../processes.ts';

/** Who computes, by the beginning of a thread's name; `main` is the local environment's own thread. */
export type Threads<Part extends string> = Readonly<Record<Part | 'main', string>>;
/** Milliseconds of one of what is worked off. */
export type Computing<Part extends string> = Readonly<Record<Part | 'main' | 'V8' | 'engine', number>>;

const inAll = 'in all';

/** Begins to count; called again it gives what each part computed for one, when there were so many. */
export function countComputing<Part extends string>(
  { processId, used }: Benched,
  threads: Threads<Part>,
): (count: number) => Computing<Part> {
  const before = threadsOf(processId);
  const engineBefore = used().engine;
  return (count) => {
    const spent = [...threadsOf(processId)].map(([thread, ms]) => {
      const name = thread === processId ? 'main' : threadName(processId, thread);
      return { name, ms: (ms - (before.get(thread) ?? 0)) / count };
    });
    const of = (name: string): number =>
      spent.filter((one) => one.name.startsWith(name)).reduce((sum, { ms }) => sum + ms, 0);
    const own = Object.entries<string>(threads).map(([part, name]) => [part, of(name)]);
    return {
      ...(Object.fromEntries(own) as Record<Part | 'main', number>),
      // Threads that compile and collect garbage for all others.
      V8: of('V8Worker'),
      engine: (used().engine - engineBefore) / count,
    };
  };
}

export function tellComputing(computing: Computing<string>): string {
  return Object.entries(computing)
    .map(([part, ms]) => `${part} ${ms.toFixed(1)} ms`)
    .join(', ');
}

/**
 * Into what computing goes: what was measured without a profile, shared out by profiles that are taken while further
 * work is done.
 */
export async function measureParts<Part extends string>(
  run: BenchRun,
  { processId, inspectPort }: Benched,
  { one, prefix = '', threads, measured }: Measured<Part>,
  work: () => Promise<unknown>,
): Promise<readonly Figure[]> {
  run.tell('profiles');
  const stop = await startProfile(processId, inspectPort);
  await work();
  const shares = sharesByPart(threads, await stop());
  const middle = (part: Part | 'main' | 'V8' | 'engine'): number => median(measured.map((one) => one[part]));
  const own = computingKinds.map((kind): Row => {
    const cells = [...shares].map(([part, { kinds }]): Cell => ({ part, ms: middle(part) * (kinds.get(kind) ?? 0) }));
    return { kind, cells, ms: cells.reduce((sum, { ms }) => sum + ms, 0), beside: packagesOf(kind, cells, shares) };
  });
  const rows: readonly Row[] = [
    ...own,
    { kind: 'the database engine', cells: [], ms: middle('engine'), beside: '' },
    { kind: "V8's own threads", cells: [], ms: middle('V8'), beside: 'they compile and collect garbage' },
  ];
  const total = rows.reduce((sum, { ms }) => sum + ms, 0);
  return rows
    .toSorted((one, other) => other.ms - one.ms)
    .flatMap((row) => figuresOf({ ...row, kind: `${prefix}${row.kind}` }, { what: `all of ${one}`, rounds: [total] }));
}

type Measured<Part extends string> = {
  /** What is worked off. */
  readonly one: string;
  /** Before the name of each kind, where a row holds several of such tables. */
  readonly prefix?: string;
  readonly threads: Threads<Part>;
  readonly measured: readonly Computing<Part>[];
};
type Cell = { readonly part: string; readonly ms: number };
type Row = { readonly kind: string; readonly cells: readonly Cell[]; readonly ms: number; readonly beside: string };

function figuresOf(
  { kind, cells, ms, beside }: Row,
  against: { readonly what: string; readonly rounds: readonly number[] },
): readonly Figure[] {
  return [
    figureOf([ms], { what: kind, part: inAll, unit: 'ms', against, ...(beside !== '' && { beside }) }),
    ...cells.map((cell) => figureOf([cell.ms], { what: kind, part: cell.part, unit: 'ms' })),
  ];
}

/** The packages of a kind, where it takes most. */
function packagesOf(kind: Kind, cells: readonly Cell[], shares: ReadonlyMap<string, Shares>): string {
  const [most] = cells.toSorted((one, other) => other.ms - one.ms);
  const packages = [...(shares.get(most?.part ?? 'main')?.packages ?? [])];
  const shown = packages
    .filter(([name]) => kindOfPackage(name) === kind)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 4);
  if (shown.length < 2) return '';
  return `of ${String(most?.part)}: ${shown.map(([name, share]) => `${name} ${(share * 100).toFixed(0)} %`).join(', ')}`;
}

/** A function may have several threads at once. */
function sharesByPart<Part extends string>(
  threads: Threads<Part>,
  profiles: readonly Profiled[],
): ReadonlyMap<Part | 'main', Shares> {
  const looks = looksAtIdle(profiles.map(({ profile }) => profile));
  const parts = Object.keys(threads) as (Part | 'main')[];
  return new Map(
    parts.map((part) => {
      const own = profiles.filter(({ thread }) => thread.includes(threads[part]));
      return [
        part,
        sharesOf(
          own.map(({ profile }) => profile),
          looks,
        ),
      ];
    }),
  );
}
