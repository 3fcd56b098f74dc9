import { describe, expect, it } from 'vitest';
import type { FairPool } from '#shared/platform/jobs/fair-pool.ts';
import { workFairly } from '#shared/platform/jobs/fair-pool.ts';
import { fc } from '../support/properties.ts';

type Piece = { readonly of: string; readonly n: number };

async function* sourceOf(pieces: readonly Piece[]): AsyncGenerator<Piece, void, void> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}
const many = (of: string, count: number): Piece[] => Array.from({ length: count }, (_, n) => ({ of, n }));
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pool that notes what it did; `work` may be replaced. */
function watched(more: Partial<FairPool<Piece>> = {}) {
  const begun: Piece[] = [];
  const failures: Piece[] = [];
  const most = { atOnce: 0, ofOne: 0 };
  const running = new Map<string, number>();
  const work = more.work ?? tick;
  const pool: FairPool<Piece> = {
    ...{ width: 4, perGroup: 2, cap: Infinity },
    groupOf: ({ of }) => of,
    isTimeUp: () => false,
    failed: (piece) => failures.push(piece),
    ...more,
    work: async (piece) => {
      begun.push(piece);
      running.set(piece.of, (running.get(piece.of) ?? 0) + 1);
      most.ofOne = Math.max(most.ofOne, running.get(piece.of) ?? 0);
      most.atOnce = Math.max(
        most.atOnce,
        [...running.values()].reduce((sum, count) => sum + count, 0),
      );
      try {
        await work(piece);
      } finally {
        running.set(piece.of, (running.get(piece.of) ?? 0) - 1);
      }
    },
  };
  return { pool, begun, failures, most };
}

describe('a fair pool', () => {
  it('does every piece once, in the order of its group, and never more concurrently than allowed', async () => {
    const piece = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const limits = fc.record({ width: fc.integer({ min: 1, max: 6 }), perGroup: fc.integer({ min: 1, max: 6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), limits, fc.integer(), async (groups, bounds, seed) => {
        const pieces = groups.map((of, n) => ({ of, n }));
        let turn = seed >>> 0;
        const work = async (): Promise<void> => {
          turn = (turn * 1103515245 + 12345) >>> 0;
          for (let wait = turn % 4; wait > 0; wait -= 1) await tick();
        };
        const { pool, begun, most } = watched({ ...bounds, work });
        await workFairly(sourceOf(pieces), pool);
        for (const group of new Set(groups))
          expect(begun.filter(({ of }) => of === group)).toEqual(pieces.filter(({ of }) => of === group));
        expect(begun).toHaveLength(pieces.length);
        expect(most.atOnce).toBeLessThanOrEqual(bounds.width);
        expect(most.ofOne).toBeLessThanOrEqual(bounds.perGroup);
      }),
      { numRuns: 60 },
    );
  });

  it('gives the next free place to the group in turn: one piece does not wait behind ten thousand', async () => {
    const { pool, begun } = watched();
    await workFairly(sourceOf([...many('loud', 10_000), ...many('quiet', 1)]), pool);
    // Reading alone decides when the quiet one is known: here one piece is read while about one is done.
    expect(begun).toHaveLength(10_001);
    const read = watched({ work: () => new Promise((resolve) => setTimeout(resolve, 1)) });
    await workFairly(sourceOf([...many('loud', 500), ...many('quiet', 1)]), read.pool);
    expect(read.begun.findIndex(({ of }) => of === 'quiet')).toBeLessThan(20);
  });

  it('goes through its groups in turn', async () => {
    const { pool, begun } = watched({ width: 1, perGroup: 1 });
    await workFairly(sourceOf([...many('a', 20), ...many('b', 20), ...many('c', 20)]), pool);
    // All is read long before half of it is done: from then on no group comes twice before the others.
    const turns = begun.slice(-30).map(({ of }) => of);
    for (let place = 0; place < 27; place += 3) expect(new Set(turns.slice(place, place + 3)).size).toBe(3);
  });

  it('lets a slow piece hold its own place only, and a hanging group its own share', async () => {
    let release = (): void => undefined;
    const hang = new Promise<void>((resolve) => (release = resolve));
    const { pool, begun } = watched({ work: ({ of }) => (of === 'hanging' ? hang : tick()) });
    const done = workFairly(sourceOf([...many('hanging', 50), ...many('b', 50), ...many('c', 50)]), pool);
    while (begun.filter(({ of }) => of !== 'hanging').length < 100) await tick();
    expect(begun.filter(({ of }) => of === 'hanging')).toHaveLength(2);
    release();
    await done;
    expect(begun).toHaveLength(150);
  });

  it('reports every failure, also a synchronous one, and continues', async () => {
    const { pool, begun, failures } = watched({
      work: ({ n }) => {
        if (n % 3 === 0) throw new Error('at once');
        return n % 3 === 1 ? Promise.reject(new Error('later')) : tick();
      },
    });
    await workFairly(sourceOf(many('a', 30)), pool);
    expect([begun.length, failures.length]).toEqual([30, 20]);
  });

  it('leaves out what a group has beyond its cap', async () => {
    const { pool, begun } = watched({ cap: 5 });
    await workFairly(sourceOf([...many('a', 9), ...many('b', 3)]), pool);
    expect([begun.filter(({ of }) => of === 'a').length, begun.filter(({ of }) => of === 'b').length]).toEqual([5, 3]);
  });

  it('begins no piece when the time is up, waits for those under way, and reads no further', async () => {
    let begun = 0;
    let read = 0;
    let ended = 0;
    async function* endless(): AsyncGenerator<Piece, void, void> {
      for (; ; read += 1) yield await Promise.resolve({ of: `g-${read % 7}`, n: read });
    }
    const work = async (): Promise<void> => {
      begun += 1;
      await tick();
      await tick();
      ended += 1;
    };
    await workFairly(endless(), watched({ isTimeUp: () => begun >= 10, work }).pool);
    expect([begun, ended]).toEqual([10, 10]);
  });

  it('does not read far ahead of what is done', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<Piece, void, void> {
      for (; read < 30_000; read += 1) yield await Promise.resolve({ of: `g-${read % 100}`, n: read });
    }
    let ended = 0;
    let furthest = 0;
    const work = async (): Promise<void> => {
      await tick();
      furthest = Math.max(furthest, read - ended);
      ended += 1;
    };
    await workFairly(counted(), watched({ width: 50, perGroup: 5, work }).pool);
    expect(ended).toBe(30_000);
    expect(furthest).toBeLessThanOrEqual(20_000 + 60);
  });

  it('finishes the pieces under way before it fails with the error of the source', async () => {
    async function* broken(): AsyncGenerator<Piece, void, void> {
      yield await Promise.resolve({ of: 'a', n: 1 });
      throw new Error('unreadable');
    }
    let ended = 0;
    const work = async (): Promise<void> => {
      await tick();
      ended += 1;
    };
    await expect(workFairly(broken(), watched({ work }).pool)).rejects.toThrow('unreadable');
    expect(ended).toBe(1);
  });
});
