import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listEntriesOf } from '#shared/accounts/list.ts';
import { accountInserts, shardWrites } from '#shared/accounts/store.ts';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import type { LedgerEntry, LedgerKind, Shard } from '#shared/platform/ledger/balance.ts';
import { maxBalancePart, maxShardPart } from '#shared/platform/ledger/balance.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import { ledgerWrites, moveWrites, parseShard } from '#shared/platform/ledger/ledger.ts';
import { readBalance, sharesFor } from '#shared/platform/ledger/shards.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store, Write } from '#shared/platform/table/store.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import { openCompany, sampleAccount } from '../support/listings.ts';
import { memoryStore } from '../support/memory-store.ts';
import { fc } from '../support/properties.ts';

const noon = '2026-03-10T12:00:00.000Z';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

type Booking = {
  readonly kind: LedgerKind;
  readonly available: number;
  readonly reserved: number;
  readonly shard: number;
  readonly skewMs?: number;
  /** Writes in the same transaction. */
  readonly beside?: readonly Write[];
};

/** An account with so many shards and no money, and its bookings by clocks that are some milliseconds off. */
async function world(store: Store, shards: number, elapsedMs = () => 0) {
  const companyId = await openCompany(store);
  const account = sampleAccount({ companyId, createdAt: noon });
  const opening = { amount: centavos(0), entryId: randomUUID(), at: noon };
  await store.write(accountInserts(await readOrMakeHash(store), account, opening), randomUUID());
  const readShard = async (shard: number): Promise<Shard> => {
    const [item] = await store.read([keys.balance(companyId, account.id, shard)]);
    return parseShard(item!);
  };
  let grown = 0;
  const grow = async (wanted: number): Promise<boolean> =>
    (
      await store.write(
        shardWrites(account, await readShard(0), wanted, plusMilliseconds(noon, 5 * ++grown)),
        randomUUID(),
      )
    ).ok;
  expect(await grow(shards)).toBe(true);
  /** @returns an issue of the error, or undefined once the posting is booked */
  const book = async ({ kind, skewMs = 0, shard, beside = [], ...amounts }: Booking): Promise<string | undefined> => {
    const at = plusMilliseconds(noon, skewMs);
    const money = { available: centavos(amounts.available), reserved: centavos(amounts.reserved) };
    const posting = { accountId: account.id, kind, ...money, at, entryId: randomUUID(), shard };
    const { issue } = await untilCommitted(async () => {
      const outcome = await commit(store, { companyId, at, ledger: [posting], writes: beside }, elapsedMs);
      if (outcome.ok) return { issue: undefined };
      return outcome.because === 'BALANCE' ? { issue: outcome.error.details[0]?.issue } : undefined;
    });
    return issue;
  };
  const statement = async (ascending: boolean, limit: number, asked = shards): Promise<readonly LedgerEntry[]> => {
    const found: LedgerEntry[] = [];
    let cursor: string | undefined;
    do {
      const filters = { accountId: account.id, shards: asked };
      const page = await listEntriesOf(store, companyId, filters, { ascending, limit, cursor });
      found.push(...page.found);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  };
  return {
    ...{ companyId, account, book, statement, grow, readShard },
    balance: () => readBalance(store, companyId, account.id),
    shards: () => Promise.all(Array.from({ length: shards }, (_, shard) => readShard(shard))),
  };
}

/** The least that either part ever was, read upwards, and what both are in the end. */
function readUpwards(entries: readonly LedgerEntry[]) {
  const sum = { available: 0, reserved: 0 };
  const least = { available: 0, reserved: 0 };
  for (const entry of entries) {
    sum.available += entry.available;
    sum.reserved += entry.reserved;
    least.available = Math.min(least.available, sum.available);
    least.reserved = Math.min(least.reserved, sum.reserved);
  }
  return { least, sum };
}

const asked = fc.record({
  skewMs: fc.integer({ min: -40, max: 40 }),
  does: fc.constantFrom('CREDIT', 'CREDIT', 'RESERVE', 'RESERVE', 'SPEND', 'RETURN', 'FEE'),
  amount: fc.integer({ min: 1, max: 9 }),
  shard: fc.nat(),
});

const stores: readonly (readonly [string, () => Store, number])[] = [
  ['in memory', memoryStore, 200],
  ['on a DynamoDB engine', () => dynamoStore({ client: engine.client, tableName: engine.tableName }), 5],
];

describe.each(stores)('a balance in several shards %s', (_where, open, runs) => {
  test('refuses a payment only when the sum is short, and is never below zero but by fees, when clocks differ', async () => {
    const arbitrary = fc.tuple(fc.integer({ min: 2, max: 5 }), fc.array(asked, { minLength: 4, maxLength: 25 }));
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([count, moves]) => {
        const { book, statement, balance, shards } = await world(open(), count);
        let [available, reserved, fees] = [0, 0, 0];
        const reserves: { readonly amount: number; readonly shard: number }[] = [];
        for (const { does, skewMs, amount, ...drawn } of moves) {
          const at = { skewMs, shard: drawn.shard % count };
          if (does === 'CREDIT') {
            expect(await book({ kind: 'PAY_IN', available: amount, reserved: 0, ...at })).toBeUndefined();
            available += amount;
          } else if (does === 'FEE') {
            const taken = { kind: 'BANK_FEE', available: -amount, reserved: 0, skewMs, shard: 0 } as const;
            expect(await book(taken)).toBeUndefined();
            available -= amount;
            fees += amount;
          } else if (does === 'RESERVE') {
            // As a payout: it takes from the first shard while that is below zero.
            const shard = (await shards())[0]!.available < 0 ? 0 : at.shard;
            const issue = await book({ kind: 'PAYOUT_RESERVED', available: -amount, reserved: amount, skewMs, shard });
            expect(issue, `${amount} of ${available}`).toBe(available < amount ? 'INSUFFICIENT_BALANCE' : undefined);
            if (issue !== undefined) continue;
            reserves.push({ amount, shard });
            [available, reserved] = [available - amount, reserved + amount];
          } else {
            const open = reserves.shift();
            if (open === undefined) continue;
            const back = does === 'RETURN' ? open.amount : 0;
            const kind = does === 'RETURN' ? 'PAYOUT_RETURNED' : 'PAYOUT_PAID';
            const end = { kind, available: back, reserved: -open.amount, skewMs, shard: open.shard } as const;
            expect(await book(end)).toBeUndefined();
            [available, reserved] = [available + back, reserved - open.amount];
          }
        }
        expect(await balance()).toMatchObject({ available, reserved });
        const entries = await statement(true, 3);
        const { least, sum } = readUpwards(entries);
        expect(sum).toEqual({ available, reserved });
        expect(least.reserved).toBe(0);
        expect(least.available).toBeGreaterThanOrEqual(-fees);
        expect(await statement(false, 1)).toEqual(entries.toReversed());
        for (const shard of (await shards()).slice(1))
          expect(Math.min(shard.available, shard.reserved)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runs },
    );
  });

  test('gives each payment its money once when many processes book at the same time', async () => {
    const { book, statement, balance, shards } = await world(open(), 4, () => performance.now());
    for (const shard of [0, 0, 3]) await book({ kind: 'DEPOSIT', available: 10, reserved: 0, shard });
    // Their sum is more than there is: some must be refused, and none that fits in what is left at the end.
    const amounts = [9, 7, 7, 5, 5, 3, 3, 2];
    const results = await Promise.all(
      amounts.map(async (amount, place) => ({
        amount,
        issue: await book({
          ...{ kind: 'PAYOUT_RESERVED', available: -amount, reserved: amount },
          ...{ skewMs: 7 * place - 20, shard: place % 4 },
        }),
      })),
    );
    const taken = results.filter(({ issue }) => issue === undefined).reduce((sum, { amount }) => sum + amount, 0);
    const refused = results.filter(({ issue }) => issue !== undefined);
    expect(await balance()).toMatchObject({ available: 30 - taken, reserved: taken });
    for (const { amount, issue } of refused) {
      expect(issue).toBe('INSUFFICIENT_BALANCE');
      expect(amount).toBeGreaterThan(30 - taken);
    }
    expect((await shards()).every(({ available }) => available >= 0)).toBe(true);
    const { least, sum } = readUpwards(await statement(true, 100));
    expect({ least, sum }).toEqual({
      least: { available: 0, reserved: 0 },
      sum: { available: 30 - taken, reserved: taken },
    });
  });

  test('gathers all its money for one payment, also beside as many writes as a transaction has room for', async () => {
    const { book, balance, companyId } = await world(open(), 12);
    for (let shard = 0; shard < 12; shard += 1) await book({ kind: 'PAY_IN', available: 5, reserved: 0, shard });
    const payments = Array.from({ length: 95 }, (_, sequence): Write => {
      return { put: keys.payoutChild(companyId, 'order', sequence), when: { is: 'absent' } };
    });
    const all = { kind: 'PAYOUT_RESERVED', available: -60, reserved: 60, shard: 7, beside: payments } as const;
    expect(await book(all)).toBeUndefined();
    expect(await balance()).toMatchObject({ available: 0, reserved: 60 });
  });

  test('moves an even share to a shard that is short, so that the next payments find money there', async () => {
    const { book, shards } = await world(open(), 4);
    await book({ kind: 'DEPOSIT', available: 400, reserved: 0, shard: 0 });
    await book({ kind: 'PAYOUT_RESERVED', available: -1, reserved: 1, shard: 2 });
    expect((await shards()).map(({ available }) => available)).toEqual([300, 0, 99, 0]);
  });

  test('keeps its money and its statement when its shards grow', async () => {
    const { book, statement, balance, grow } = await world(open(), 1);
    await book({ kind: 'DEPOSIT', available: 10, reserved: 0, shard: 0 });
    expect(await grow(3)).toBe(true);
    expect(await book({ kind: 'PAYOUT_RESERVED', available: -4, reserved: 4, shard: 2, skewMs: 10 })).toBeUndefined();
    expect(await grow(5)).toBe(true);
    expect(await book({ kind: 'PAYOUT_RESERVED', available: -6, reserved: 6, shard: 4, skewMs: 20 })).toBeUndefined();
    expect(await book({ kind: 'PAYOUT_PAID', available: 0, reserved: -4, shard: 2, skewMs: 30 })).toBeUndefined();
    expect(await balance()).toMatchObject({ available: 0, reserved: 6 });
    expect((await statement(true, 2, 5)).map(({ kind }) => kind)).toEqual([
      ...['DEPOSIT', 'PAYOUT_RESERVED', 'PAYOUT_RESERVED', 'PAYOUT_PAID'],
    ]);
  });
});

describe('a read of a balance', () => {
  test('shows the sum when money moves between shards while they are read one after the other', async () => {
    const store = memoryStore();
    const { book, companyId, account, shards } = await world(store, 3);
    await book({ kind: 'DEPOSIT', available: 90, reserved: 0, shard: 0 });
    let moves = 0;
    /** Reads key by key. Before each of the first keys, what the richest shard has goes to the next one. */
    const slow: Store = {
      ...store,
      read: async (wanted) => {
        const items = [];
        for (const key of wanted) {
          if (wanted.length > 1 && moves < 7) {
            moves += 1;
            const all = await shards();
            const richest = all.findIndex(({ available }) => available === 90);
            const from = [{ shard: richest, amount: centavos(90) }];
            const at = plusMilliseconds(noon, 100 * moves);
            const move = moveWrites(companyId, { accountId: account.id, at, shard: (richest + 1) % 3, from });
            expect(await store.write(move, randomUUID())).toEqual({ ok: true });
          }
          items.push(...(await store.read([key])));
        }
        return items;
      },
    };
    expect(await readBalance(slow, companyId, account.id)).toMatchObject({ available: 90 });
    expect(moves).toBe(7);
  });

  test('costs one read of one item when the account has one shard', async () => {
    const store = memoryStore();
    const { companyId, account } = await world(store, 1);
    const reads: number[] = [];
    const counted: Store = {
      ...store,
      read: (wanted) => {
        reads.push(wanted.length);
        return store.read(wanted);
      },
    };
    await readBalance(counted, companyId, account.id);
    expect(reads).toEqual([1]);
  });
});

/** A table with one account of these shards. */
async function withShards(...amounts: readonly number[]) {
  const store = memoryStore();
  const facts = { accountId: 'a', accountStatus: 'ACTIVE', reserved: 0, updatedAt: noon, moves: 0 };
  const puts = amounts.map((available, place): Write => {
    const first = place === 0 ? { shards: amounts.length } : {};
    return { put: { ...keys.balance('c', 'a', place), ...facts, ...first, available } };
  });
  await store.write(puts, randomUUID());
  return store;
}

describe('a shard', () => {
  const posting = (more: Partial<LedgerPosting>): LedgerPosting => ({
    ...{ accountId: 'a', kind: 'PAYOUT_RESERVED', at: plusMilliseconds(noon, 9), entryId: 'e' },
    ...{ available: centavos(-5), reserved: centavos(5) },
    ...more,
  });
  test('refuses a payment when others give less than it is below zero and the payment takes', async () => {
    for (const [given, ok] of [
      [14, false],
      [15, true],
    ] as const) {
      const store = await withShards(-10, 20);
      const from = [{ shard: 1, amount: centavos(given) }];
      expect((await store.write(ledgerWrites('c', posting({ from })), randomUUID())).ok, `${given}`).toBe(ok);
    }
  });

  test('holds a share of what a balance of one shard holds, but the first one all of it', async () => {
    for (const [shard, most] of [
      [0, maxBalancePart],
      [1, maxShardPart],
    ] as const) {
      const store = await withShards(most - 10, most - 10);
      const credit = (available: number) =>
        store.write(
          ledgerWrites('c', posting({ kind: 'PAY_IN', available: centavos(available), reserved: centavos(0), shard })),
          randomUUID(),
        );
      expect((await credit(11)).ok, `shard ${shard}`).toBe(false);
      expect((await credit(10)).ok, `shard ${shard}`).toBe(true);
    }
  });

  test('is made once when two operators add shards at the same time', async () => {
    const store = memoryStore();
    const { account, readShard } = await world(store, 2);
    const first = await readShard(0);
    const [one, other] = [3, 4].map((wanted) => shardWrites(account, first, wanted, plusMilliseconds(noon, 50)));
    expect((await store.write(one!, randomUUID())).ok).toBe(true);
    expect((await store.write(other!, randomUUID())).ok).toBe(false);
    const alone = await world(store, 1);
    const stale = [2, 2].map((wanted) =>
      shardWrites(alone.account, { ...first, shards: 1 }, wanted, plusMilliseconds(noon, 50)),
    );
    expect((await store.write(stale[0]!, randomUUID())).ok).toBe(true);
    expect((await store.write(stale[1]!.slice(0, 2), randomUUID())).ok).toBe(false);
  });
});

describe('what shards give', () => {
  const ofShards = async (amounts: readonly number[], shard: number, needed: number) => {
    const take = { available: centavos(-needed), reserved: centavos(needed), at: noon, entryId: 'e' };
    const store = await withShards(...amounts);
    return sharesFor(store, 'c', { accountId: 'a', kind: 'PAYOUT_RESERVED', shard, ...take }, 100);
  };

  test('comes from the richest shards, and covers what is needed', async () => {
    expect(await ofShards([1, 30, 5, 20], 0, 50)).toEqual([
      { shard: 1, amount: 30 },
      { shard: 3, amount: 19 },
    ]);
  });

  test('lifts a first shard below zero', async () => {
    expect(await ofShards([-5, 30, 0], 0, 20)).toEqual([{ shard: 1, amount: 25 }]);
  });

  test('is not refused for a short sum when money comes back to a shard that was read already', async () => {
    const store = memoryStore();
    const { book, companyId, account } = await world(store, 2);
    await book({ kind: 'DEPOSIT', available: 60, reserved: 0, shard: 1 });
    let readings = 0;
    /** In the second reading of both shards, the first gets 60 once it was read, and then the second loses 60. */
    const slow: Store = {
      ...store,
      read: async (wanted) => {
        if (wanted.length < 2 || ++readings < 2) return store.read(wanted);
        const [first, ...others] = wanted;
        const items = await store.read([first!]);
        await book({ kind: 'PAY_IN', available: 60, reserved: 0, shard: 0, skewMs: 10 });
        await book({ kind: 'PAYOUT_RESERVED', available: -60, reserved: 60, shard: 1, skewMs: 20 });
        return [...items, ...(await store.read(others))];
      },
    };
    const take = { available: centavos(-60), reserved: centavos(60), at: noon, entryId: 'e', shard: 1 };
    expect(await sharesFor(slow, companyId, { accountId: account.id, kind: 'PAYOUT_RESERVED', ...take }, 9)).toEqual(
      [],
    );
    expect(readings).toBe(2);
  });

  test('is no more than the shards have together, and enough, whatever they have', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 32 }),
        fc.nat(),
        fc.integer({ min: 1, max: 200 }),
        async (amounts, drawn, needed) => {
          const to = drawn % amounts.length;
          const shares = await ofShards(amounts, to, needed);
          const total = amounts.reduce((sum, amount) => sum + amount, 0);
          expect(shares === undefined, 'the sum is short').toBe(total < needed);
          if (shares === undefined) return;
          for (const { shard, amount } of shares) {
            expect(shard).not.toBe(to);
            expect(amount).toBeGreaterThan(0);
            expect(amount).toBeLessThanOrEqual(amounts[shard]!);
          }
          expect(new Set(shares.map(({ shard }) => shard)).size).toBe(shares.length);
          const has = amounts[to]! + shares.reduce((sum, { amount }) => sum + amount, 0);
          expect(has).toBeGreaterThanOrEqual(needed);
        },
      ),
    );
  });
});
