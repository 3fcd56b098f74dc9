import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgress } from './progress.ts';

/** How much is measured: `full` for docs/benchmarks.md, `quick` while working on it, `smoke` to see that it runs. */
export type Scale = 'full' | 'quick' | 'smoke';

/** What a row is given: how much to measure, a folder that is removed afterwards, and a place to tell how far it is. */
export type BenchRun = {
  readonly scale: Scale;
  readonly folder: string;
  /** One of the values, by the scale. */
  readonly choose: <T>(values: Readonly<Record<Scale, T>>) => T;
  /** How often each measurement is repeated. */
  readonly rounds: number;
  readonly tell: (what: string) => void;
  /** Runs at the end, in the reverse order, whatever happens. */
  readonly atEnd: (work: () => unknown) => void;
  /** What several rows of the same bench use, made by the first of them and ended with the last. */
  readonly share: <T>(name: string, make: (run: BenchRun) => Promise<T>) => Promise<T>;
};

type Bench = {
  /** Measures one row, and ends what it started. */
  readonly measure: <T>(name: string, work: (run: BenchRun) => Promise<T>) => Promise<T>;
};

/** Runs rows one after another; what they share ends with the last. */
export async function withBench<T>(scale: Scale, work: (bench: Bench) => Promise<T>): Promise<T> {
  await using ends = new AsyncDisposableStack();
  const shared = new Map<string, Promise<unknown>>();
  const begin = (name: string, own: AsyncDisposableStack): BenchRun => {
    const folder = mkdtempSync(join(tmpdir(), 'banking-order-bench-'));
    own.defer(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const progress = startProgress(name);
    own.defer(progress.stop);
    return {
      scale,
      folder,
      choose: (values) => values[scale],
      rounds: { full: 3, quick: 1, smoke: 1 }[scale],
      tell: progress.tell,
      atEnd: (end) => {
        own.defer(async () => {
          await end();
        });
      },
      share: <Made>(what: string, make: (run: BenchRun) => Promise<Made>): Promise<Made> => {
        const made = shared.get(what) ?? make(begin(what, ends));
        shared.set(what, made);
        return made as Promise<Made>;
      },
    };
  };
  return await work({
    measure: async (name, measureRow) => {
      await using own = new AsyncDisposableStack();
      return await measureRow(begin(name, own));
    },
  });
}
