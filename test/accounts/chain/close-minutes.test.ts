import { expect, it } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { at, begin, chainWorld } from '#test/support/chain-world.ts';
import type { Fault } from '#test/support/faulty-store.ts';
import { fc } from '#test/support/properties.ts';

it('chains the entries of a minute in the order of the statement, whatever shard and order they come in, once it may close', async () => {
  const world = chainWorld([3]);
  await world.ready;
  await world.close(at(180));
  const records = [];
  for (const [seconds, shard] of [
    [5, 0],
    [6, 1],
    [7, 2],
    [8, 0],
    [61, 1],
  ] as const)
    records.push(await world.commit(at(seconds), { shard }));
  await world.note(records.toReversed());
  expect(await world.close(at(239))).toEqual({ chained: 0, failed: 0, open: 0 });
  expect(await world.close(at(240))).toEqual({ chained: 4, failed: 0, open: 0 });
  expect(world.chain().map(({ minute }) => minute)).toEqual(Array(4).fill('2026-01-15T15:00'));
  await world.close(at(300));
  expect(world.problems()).toEqual([]);
  expect(world.chain().at(-1)?.minute).toBe('2026-01-15T15:01');
});

it('chains a minute of more than 500 entries in several segments', async () => {
  const world = chainWorld([2]);
  await world.ready;
  await world.close(at(180));
  const records = [];
  for (let place = 0; place < 1203; place += 1)
    records.push(await world.commit(plusMilliseconds(begin, 40 * place), { shard: place % 2 }));
  await world.note(records);
  expect((await world.close(at(240))).chained).toBe(1203);
  expect(world.problems()).toEqual([]);
});

it('begins with all entries that an account had before its first note', async () => {
  const world = chainWorld();
  await world.ready;
  for (const seconds of [-500_000, -400_000, -90]) await world.commit(at(seconds));
  await world.close(at(180));
  await world.note([await world.commit(at(1))]);
  await world.close(at(240));
  expect(world.problems()).toEqual([]);
  expect(world.errors).toEqual([]);
});

it('chains entries that were noted before any minute closed, and then goes on from the first of their minutes', async () => {
  const world = chainWorld();
  await world.ready;
  await world.note([await world.commit(at(1)), await world.commit(at(70))]);
  expect(await world.close(at(3_600))).toEqual({ chained: 2, failed: 0, open: 0 });
  expect(world.chain().map(({ minute }) => minute)).toEqual(['2026-01-15T15:00', '2026-01-15T15:01']);
  expect(world.problems()).toEqual([]);
});

it('chains the entries of a minute that stayed open for four weeks, when what had expired by then is gone', async () => {
  const world = chainWorld();
  await world.ready;
  await world.close(at(180));
  await world.note([await world.commit(at(5))]);
  const later = at(28 * 86_400);
  await world.expire(later);
  expect(await world.close(later)).toMatchObject({ chained: 1, open: 0 });
  expect(world.problems()).toEqual([]);
});

it('chains an entry that is dated long before its commit in the minute of its commit, and closes no minute before', async () => {
  const world = chainWorld([2]);
  await world.ready;
  await world.note([await world.commit(at(-40_000_000), { committed: at(5) }), await world.commit(at(6))]);
  expect(await world.close(at(240))).toEqual({ chained: 2, failed: 0, open: 0 });
  await world.note([await world.commit(at(-30_000_000), { committed: at(70), shard: 1 })]);
  expect(await world.close(at(300))).toMatchObject({ chained: 1, open: 0 });
  expect(world.chain().map(({ minute }) => minute.slice(11))).toEqual(['15:00', '15:00', '15:01']);
  expect(world.problems()).toEqual([]);
});

it('chains an entry that comes after its minute has closed in an open one, and reports it, once', async () => {
  const world = chainWorld([2]);
  await world.ready;
  await world.close(at(180));
  const [early, late] = [await world.commit(at(5)), await world.commit(at(3), { shard: 1 })];
  await world.note([early]);
  await world.commit(at(50));
  const chained = await world.close(at(240));
  expect(chained.chained).toBe(3);
  const after = await world.commit(at(4), { shard: 1 });
  await world.note([early, late, after]);
  expect(await world.close(at(300))).toEqual({ chained: 1, failed: 1, open: 0 });
  expect(world.problems()).toEqual([]);
  expect(world.chain().map(({ single, minute }) => [single, minute])).toEqual([
    ...Array.from({ length: 3 }, () => [false, '2026-01-15T15:00']),
    [true, '2026-01-15T15:01'],
  ]);
  expect(world.errors).toEqual(['Error: 1 entries appeared after their minute had closed.']);
  await world.note([early, late, after]);
  expect(await world.close(at(420))).toEqual({ chained: 0, failed: 0, open: 0 });
});

it('reports entries that the stream lost when another entry of the account comes, with their hashes as if it had not', async () => {
  const world = chainWorld();
  await world.ready;
  await world.close(at(180));
  await world.note([await world.commit(at(1))]);
  await world.close(at(240));
  await world.commit(at(61));
  await world.close(at(300));
  await world.note([await world.commit(at(121))]);
  expect(await world.close(at(360))).toEqual({ chained: 2, failed: 1, open: 0 });
  expect(world.errors).toEqual(['Error: The stream had not brought 1 entries of earlier minutes.']);
  expect(world.problems()).toEqual([]);
});

it('stops at no account that fails: its entries are chained with the next minute', async () => {
  const world = chainWorld([1, 1]);
  await world.ready;
  await world.close(at(180));
  await world.note([await world.commit(at(1)), await world.commit(at(2), { account: 1 })]);
  let calls = 0;
  world.through(() => ((calls += 1) === 20 ? 'before' : 'none'));
  const { chained, failed } = await world.close(at(240));
  world.reliably();
  expect([chained, failed]).toEqual([1, 1]);
  expect((await world.close(at(300))).chained).toBe(1);
  expect(world.problems()).toEqual([]);
});

it('chains entries of a clock that is ahead in the minute of their commit, also when it is reset before that closes', async () => {
  const world = chainWorld([2]);
  await world.ready;
  await world.close(at(180));
  const ahead = [
    await world.commit(at(86_405), { committed: at(5) }),
    await world.commit(at(86_404), { committed: at(6), shard: 1 }),
  ];
  await world.note([...ahead, await world.commit(at(7), { shard: 1 })]);
  await world.close(at(240));
  expect(world.chain().map(({ minute }) => minute)).toEqual(Array(3).fill('2026-01-15T15:00'));
  await world.note([await world.commit(at(65)), await world.commit(at(66))]);
  await world.close(at(300));
  await world.note(ahead);
  await world.close(at(360));
  await world.note([await world.commit(at(185))]);
  await world.close(at(420));
  expect(world.chain()).toHaveLength(6);
  expect(world.problems()).toEqual([]);
  expect(world.errors).toEqual([]);
});

const Move = fc.record({
  account: fc.nat(1),
  shard: fc.nat(2),
  gapMs: fc.integer({ min: 1, max: 20_000 }),
  /** From its time to its commit. */
  commitMs: fc.integer({ min: 0, max: 9_000 }),
  /** From its commit to its record, of each time that it comes. */
  recordsMs: fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 3 }),
});
type Move = {
  readonly account: number;
  readonly shard: number;
  readonly gapMs: number;
  readonly commitMs: number;
  readonly recordsMs: readonly number[];
};
type Event = { readonly ms: number; readonly do: () => Promise<unknown> };

/** Plays moves, with a last one of each account that nothing loses, and closes minutes all the while. */
async function play(moves: readonly Move[], faults: () => Fault, lost: (move: number) => boolean) {
  const world = chainWorld([3, 1]);
  await world.ready;
  world.through(faults);
  const events: Event[] = [];
  const enact = (
    dated: number,
    { account, shard, commitMs, recordsMs }: Omit<Move, 'gapMs'>,
    isLost: boolean,
  ): void => {
    let record: object = {};
    const committed = plusMilliseconds(begin, dated + commitMs);
    const place = { account, shard: account === 0 ? shard : 0, committed };
    const commit = async (): Promise<void> => {
      record = await world.commit(plusMilliseconds(begin, dated), place);
    };
    events.push({ ms: dated + commitMs, do: commit });
    for (const delay of isLost ? [] : recordsMs)
      events.push({ ms: dated + commitMs + delay, do: () => untilTaken(() => world.note([record])) });
  };
  let ms = 0;
  for (const [number, { gapMs, ...move }] of moves.entries()) enact((ms += gapMs), move, lost(number));
  for (const account of [0, 1]) enact(ms + 60_000, { account, shard: 0, commitMs: 0, recordsMs: [0] }, false);
  for (let closing = 170_000; closing < ms + 600_000; closing += 20_000)
    events.push({ ms: closing, do: () => world.close(plusMilliseconds(begin, closing)).catch(() => undefined) });
  for (const event of events.toSorted((a, b) => a.ms - b.ms)) await event.do();
  world.reliably();
  await world.close(plusMilliseconds(begin, ms + 660_000));
  return world;
}

/** The stream repeats a batch until its reader takes it. */
async function untilTaken(read: () => Promise<unknown>): Promise<void> {
  for (let isTaken = false; !isTaken;)
    isTaken = await read().then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreUnavailable) return false;
        throw error;
      },
    );
}

it('a doubled, unordered or lost record, and a crash at any call, change no hash', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Move, { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(fc.constantFrom<Fault>('none', 'none', 'none', 'none', 'none', 'before', 'after')),
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      async (moves, stream, losses) => {
        const plain = await play(
          moves,
          () => 'none',
          () => false,
        );
        const faults = stream[Symbol.iterator]();
        const rough = await play(
          moves,
          () => faults.next().value as Fault,
          (move) => losses[move] === true,
        );
        expect(plain.problems()).toEqual([]);
        expect(plain.errors).toEqual([]);
        expect(rough.problems()).toEqual([]);
        for (const account of [0, 1])
          expect(rough.chain(account).map(({ hash }) => hash)).toEqual(plain.chain(account).map(({ hash }) => hash));
      },
    ),
    { numRuns: 60 },
  );
});
