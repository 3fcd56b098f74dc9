import type { Benched } from '../benched-environment.ts';
import type { BenchRun } from '../bench-run.ts';
import type { Kind, Shares } from '../computing-shares.ts';
import { computingKinds, kindOfPackage, looksAtIdle, sharesOf } from '../computing-shares.ts';
import type { Profiled } from '../cpu-profile.ts';
import { startProfile } from '../cpu-profile.ts';
import type { Figure } from '../figures.ts';
import { figureOf, median } from '../figures.ts';
import { threadName, threadsOf } from '../processes.ts';

/** Who computes for an event, by the beginning of a thread's name; `main` is the local environment's own thread. */
const threadNames = { main: 'main', notifier: 'DeliverNotif', tool: 'ForceOrder', relay: 'RelayDeliv' } as const;
type Part = keyof typeof threadNames | 'V8' | 'engine';
/** Milliseconds of an event. */
export type Computing = Readonly<Record<Part, number>>;

const inAll = 'in all';

/** Begins to count; called again it gives what each part computed for an event, when there were so many. */
export function countComputing({ processId, used }: Benched): (events: number) => Computing {
  const before = threadsOf(processId);
  const engineBefore = used().engine;
  return (events) => {
    const spent = [...threadsOf(processId)].map(([thread, ms]) => {
      const name = thread === processId ? 'main' : threadName(processId, thread);
      return { name, ms: (ms - (before.get(thread) ?? 0)) / events };
    });
    const of = (name: string): number =>
      spent.filter((one) => one.name.startsWith(name)).reduce((sum, { ms }) => sum + ms, 0);
    return {
      main: of(threadNames.main),
      notifier: of(threadNames.notifier),
      tool: of(threadNames.tool),
      relay: of(threadNames.relay),
      // Threads that compile and collect garbage for all others.
      V8: of('V8Worker'),
      engine: (used().engine - engineBefore) / events,
    };
  };
}

export function tellComputing(computing: Computing): string {
  return Object.entries(computing)
    .map(([part, ms]) => `${part} ${ms.toFixed(1)} ms`)
    .join(', ');
}

/**
 * Into what the computing of an event goes: what was measured without a profile, shared out by profiles that are taken
 * while further events are worked off.
 */
export async function measureParts(
  run: BenchRun,
  { processId, inspectPort }: Benched,
  measured: readonly Computing[],
  work: () => Promise<void>,
): Promise<readonly Figure[]> {
  run.tell('profiles');
  const stop = await startProfile(processId, inspectPort);
  await work();
  const shares = sharesByPart(await stop());
  const middle = (part: Part): number => median(measured.map((one) => one[part]));
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
  return rows.toSorted((one, other) => other.ms - one.ms).flatMap((row) => figuresOf(row, total));
}

type Cell = { readonly part: Part; readonly ms: number };
type Row = { readonly kind: string; readonly cells: readonly Cell[]; readonly ms: number; readonly beside: string };

function figuresOf({ kind, cells, ms, beside }: Row, total: number): readonly Figure[] {
  const against = { what: 'all of an event', rounds: [total] };
  return [
    figureOf([ms], { what: kind, part: inAll, unit: 'ms', against, ...(beside !== '' && { beside }) }),
    ...cells.map((cell) => figureOf([cell.ms], { what: kind, part: cell.part, unit: 'ms' })),
  ];
}

/** The packages of a kind, where it takes most. */
function packagesOf(kind: Kind, cells: readonly Cell[], shares: ReadonlyMap<Part, Shares>): string {
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
function sharesByPart(profiles: readonly Profiled[]): ReadonlyMap<Part, Shares> {
  const looks = looksAtIdle(profiles.map(({ profile }) => profile));
  const parts = Object.keys(threadNames) as (keyof typeof threadNames)[];
  return new Map(
    parts.map((part) => {
      const own = profiles.filter(({ thread }) => thread.includes(threadNames[part]));
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
