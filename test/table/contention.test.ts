import { expect, test } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { accountInserts, shardWrites } from '#shared/accounts/store.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { commit } from '#shared/platform/commit.ts';
import { parseShard } from '#shared/platform/ledger/ledger.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { retrying } from '#shared/platform/table/retry.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { keyOf } from '#shared/platform/table/store.ts';
import { chances, virtualTime } from '../model/virtual-time.ts';
import { cancelled } from '../support/faulty-client.ts';
import { sampleAccount } from '../support/listings.ts';
import { p99 } from '../support/many-deliveries.ts';
import { memoryStore } from '../support/memory-store.ts';

/**
 * An item on which DynamoDB runs one transaction at a time and cancels the others, as the embedded engine does not. 15
 * ms is more than a transaction of this service takes.
 */
test.each([6, 15, 25])('90 transactions that lock one item for %i ms each all succeed', async (holdMs) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const time = virtualTime();
    const random = chances(seed);
    let heldUntil = 0;
    const transaction = async (): Promise<true> => {
      if (time.now() < heldUntil) {
        await time.sleep(holdMs / 2);
        throw cancelled('TransactionConflict', 'None');
      }
      heldUntil = time.now() + holdMs;
      await time.sleep(holdMs);
      return true;
    };
    const retry = retrying(time.sleep, random, time.now);
    let passed = 0;
    let failed = 0;
    for (let count = 0; count < 90; count += 1)
      time.at(random() * 5, () => {
        retry(transaction).then(
          () => (passed += 1),
          () => (failed += 1),
        );
      });
    await time.run(10_000, () => passed + failed === 90);
    expect({ passed, failed }, `seed ${seed}`).toEqual({ passed: 90, failed: 0 });
    expect(time.now(), 'within the time of a function').toBeLessThan(7000);
  }
});

/** Postings of one account for four seconds, each by its own clock; each holds its shard of the balance for 10 ms. */
test.each([
  [1, 50, 0],
  [1, 50, 5],
  [16, 500, 5],
])(
  'an account of %i shards commits %i postings a second, of which less than a tenth is refused as too early, while clocks differ by %i ms',
  async (shards, rate, skewMs) => {
    const noon = '2026-03-10T12:00:00.000Z';
    const count = 4 * rate;
    for (let seed = 1; seed <= 3; seed += 1) {
      const time = virtualTime();
      const random = chances(seed);
      const table = memoryStore();
      const account = sampleAccount({ companyId: 'c', createdAt: noon });
      await table.write(
        accountInserts(await readOrMakeHash(table), account, { amount: centavos(0), entryId: 'o', at: noon }),
        'opening',
      );
      const [first] = await table.read([keys.balance('c', account.id)]);
      await table.write(shardWrites(account, parseShard(first!), shards, plusMilliseconds(noon, 1)), 'shards');
      const heldUntil = new Map<string, number>();
      let tooEarly = 0;
      const write: Store['write'] = (writes, token, { renewed } = {}) => {
        let isRefused = false;
        return retrying(
          time.sleep,
          random,
          time.now,
        )(async () => {
          const next = isRefused ? (renewed?.() ?? writes) : writes;
          await time.sleep(random() * 3);
          const balance = keyOf(next[0]!).PK;
          isRefused = time.now() < (heldUntil.get(balance) ?? 0);
          if (isRefused) throw cancelled('TransactionConflict', 'None');
          heldUntil.set(balance, time.now() + 10);
          await time.sleep(10);
          const outcome = await table.write(next, crypto.randomUUID());
          if (!outcome.ok) tooEarly += 1;
          return outcome;
        });
      };
      const move = async (place: number): Promise<boolean> => {
        const at = plusMilliseconds(noon, Math.round(1000 + time.now() + (2 * random() - 1) * skewMs));
        const amounts = { available: centavos(1), reserved: centavos(0), shard: Math.floor(random() * shards) };
        const deposit = { accountId: account.id, kind: 'DEPOSIT', ...amounts, at, entryId: `${place}` } as const;
        const { ok } = await commit(
          { ...table, write },
          { companyId: 'c', at, ledger: [deposit], writes: [] },
          time.now,
        );
        return ok;
      };
      const ends: boolean[] = [];
      for (let place = 0; place < count; place += 1)
        time.at(random() * 4000, () => void move(place).then((ok) => ends.push(ok)));
      await time.run(30_000, () => ends.length === count);
      expect(ends.filter(Boolean), `seed ${seed}`).toHaveLength(count);
      expect(time.now(), 'when the last one has passed').toBeLessThan(9000);
      expect(tooEarly, 'transactions that were too early').toBeLessThan(count / 10);
    }
  },
);

/** A hundred payouts a second of one account for half a minute. Each holds the balance for 10 ms: more than pass. */
test('a contended account refuses within 1.2 s what does not pass, and keeps few functions busy', async () => {
  const time = virtualTime();
  const random = chances(1);
  const holdMs = 10;
  let heldUntil = 0;
  const send = async (): Promise<object> => {
    await time.sleep(random() * 3);
    if (time.now() < heldUntil) throw cancelled('TransactionConflict');
    heldUntil = time.now() + holdMs;
    await time.sleep(holdMs);
    return {};
  };
  // A request takes a process that is free, or starts one. A process remembers what it met.
  const free: Store[] = [];
  const newProcess = (): Store =>
    dynamoStore({ client: { send }, tableName: 't', sleep: time.sleep, random, elapsedMs: time.now });
  const ends: { readonly outcome: string; readonly begunAt: number; readonly tookMs: number }[] = [];
  let [open, mostOpen] = [0, 0];
  const payout = async (): Promise<void> => {
    const store = free.pop() ?? newProcess();
    const begunAt = time.now();
    open += 1;
    if (begunAt > 15_000) mostOpen = Math.max(mostOpen, open);
    const write = { put: { PK: 'C#c#ACC#a', SK: 'BALANCE' } };
    const outcome = await store.write([write], crypto.randomUUID(), { contended: [0] }).then(
      () => 'done',
      (error: unknown) => (error as Error).name,
    );
    open -= 1;
    free.push(store);
    ends.push({ outcome, begunAt, tookMs: time.now() - begunAt });
  };
  const count = 3000;
  for (let place = 0; place < count; place += 1) time.at(random() * 30_000, () => void payout());
  await time.run(60_000, () => ends.length === count);
  const late = ends.filter(({ begunAt }) => begunAt > 15_000);
  expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set(['done', 'ItemContended']));
  // The other hundredth is of processes that have met nothing for ten seconds.
  expect(p99(late.map(({ tookMs }) => tookMs))).toBeLessThan(1200);
  expect(mostOpen).toBeLessThan(150);
});
