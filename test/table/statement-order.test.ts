import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import type { LedgerEntry, LedgerKind } from '#shared/platform/ledger/balance.ts';
import { centavos } from '#shared/core/money.ts';
import { accountInserts, accountStatusUpdates } from '#shared/accounts/store.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { listEntriesOf } from '#shared/accounts/list.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { openCompany, sampleAccount } from '../support/listings.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import { memoryStore } from '../support/memory-store.ts';
import { fc } from '../support/properties.ts';

const noon = '2026-03-10T12:00:00.000Z';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** A requested posting, at noon by a clock that is some milliseconds off. */
type Asked = {
  readonly skewMs: number;
  readonly does: 'CREDIT' | 'RESERVE' | 'SPEND' | 'RETURN';
  readonly amount: number;
};

/** An account without money, and what becomes of it: what was committed, in that order. */
async function world(store: Store, elapsedMs = () => 0) {
  const companyId = await openCompany(store);
  const account = sampleAccount({ companyId, createdAt: noon });
  const opening = { amount: centavos(0), entryId: randomUUID(), at: noon };
  await store.write(accountInserts(await readOrMakeHash(store), account, opening), randomUUID());
  const booked: string[] = [];
  const reserves: number[] = [];
  const book = async (kind: LedgerKind, skewMs: number, available: number, reserved: number): Promise<boolean> => {
    const entryId = randomUUID();
    const amounts = { available: centavos(available), reserved: centavos(reserved) };
    const at = plusMilliseconds(noon, skewMs);
    const move: LedgerPosting = { accountId: account.id, kind, ...amounts, at, entryId };
    const ok = await untilCommitted(async () => {
      const committed = await commit(store, { companyId, at, ledger: [move], writes: [] }, elapsedMs);
      return committed.ok || committed.because !== 'CONFLICT' ? committed.ok : undefined;
    });
    if (ok) booked.push(entryId);
    return ok;
  };
  const run = async ({ does, skewMs, amount }: Asked): Promise<void> => {
    if (does === 'CREDIT') await book('PAY_IN', skewMs, amount, 0);
    else if (does === 'RESERVE') {
      if (await book('REFUND_RESERVED', skewMs, -amount, amount)) reserves.push(amount);
    } else {
      const open = reserves.shift();
      if (open === undefined) return;
      await (does === 'SPEND'
        ? book('REFUND_SETTLED', skewMs, 0, -open)
        : book('REFUND_RETURNED', skewMs, open, -open));
    }
  };
  const statement = async (ascending: boolean, limit = 3): Promise<readonly LedgerEntry[]> => {
    const found: LedgerEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await listEntriesOf(
        store,
        companyId,
        { accountId: account.id, shards: 1 },
        { ascending, limit, cursor },
      );
      found.push(...page.found);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  };
  return { companyId, account, booked, book, run, statement };
}

/** The least that either part ever was, read upwards, and what both are in the end. */
function readUpwards(entries: readonly LedgerEntry[]) {
  const sum = { available: 0, reserved: 0 };
  let least = 0;
  for (const entry of entries) {
    sum.available += entry.available;
    sum.reserved += entry.reserved;
    least = Math.min(least, sum.available, sum.reserved);
  }
  return { least, sum };
}

const asked = fc.record({
  skewMs: fc.integer({ min: -40, max: 40 }),
  does: fc.constantFrom('CREDIT', 'RESERVE', 'SPEND', 'RETURN'),
  amount: fc.integer({ min: 1, max: 3 }),
}) satisfies fc.Arbitrary<Asked>;

const stores: readonly (readonly [string, () => Store, number])[] = [
  ['in memory', memoryStore, 150],
  ['on a DynamoDB engine', () => dynamoStore({ client: engine.client, tableName: engine.tableName }), 5],
];

describe.each(stores)('a statement of an account %s', (_where, open, runs) => {
  test('is in the order of its commits when the clocks of the processes differ', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 25 }), async (moves) => {
        const store = open();
        const { companyId, account, booked, run, statement } = await world(store);
        for (const move of moves) await run(move);
        const entries = await statement(true);
        expect(entries.map(({ id }) => id)).toEqual(booked);
        const { least, sum } = readUpwards(entries);
        expect(least).toBe(0);
        expect(await readBalance(store, companyId, account.id)).toMatchObject(sum);
        expect(await statement(false, 1)).toEqual(entries.toReversed());
        expect(new Set(entries.map(({ at }) => at)).size, 'no two entries have the same time').toBe(entries.length);
      }),
      { numRuns: runs },
    );
  });

  test('has no balance below zero in any of its parts when many processes book concurrently', async () => {
    const store = open();
    const { companyId, account, book, run, statement } = await world(store, () => performance.now());
    await book('DEPOSIT', 0, 4, 0);
    const payout = async (skewMs: number): Promise<void> => {
      if (!(await book('PAYOUT_RESERVED', skewMs, -1, 1))) return;
      await book('PAYOUT_RETURNED', -skewMs, 1, -1);
    };
    await Promise.all([
      ...Array.from({ length: 12 }, (_none, place) => payout(3 * place - 18)),
      ...Array.from({ length: 4 }, (_none, place) => run({ does: 'CREDIT', skewMs: 5 * place - 10, amount: 1 })),
    ]);
    const entries = await statement(true, 100);
    const { least, sum } = readUpwards(entries);
    expect({ least, sum }).toEqual({ least: 0, sum: { available: 8, reserved: 0 } });
    expect(await readBalance(store, companyId, account.id)).toMatchObject(sum);
  });
});

describe('the time of an entry', () => {
  test('is the move’s own, also where the account was opened at the same moment or its status was changed', async () => {
    const store = memoryStore();
    const { account, book, statement } = await world(store);
    await store.write(accountStatusUpdates(account, 'INACTIVE', plusSeconds(noon, 9)), randomUUID());
    await book('DEPOSIT', 5, 1, 0);
    await book('DEPOSIT', 7000, 1, 0);
    expect((await statement(true)).map(({ at }) => at)).toEqual([plusMilliseconds(noon, 5), plusSeconds(noon, 7)]);
  });

  test('goes back with a company’s clock that is given back', async () => {
    const { book, statement } = await world(memoryStore());
    await book('DEPOSIT', 3_600_000, 1, 0);
    await book('DEPOSIT', 10, 1, 0);
    await book('DEPOSIT', 10, 1, 0);
    expect((await statement(true)).map(({ at }) => at)).toEqual([
      plusMilliseconds(noon, 10),
      plusMilliseconds(noon, 11),
      plusSeconds(noon, 3600),
    ]);
  });

  test('is that of the commit when a conflict held it up', async () => {
    const store = memoryStore();
    const { account, book, companyId, statement } = await world(store);
    await book('DEPOSIT', 0, 1, 0);
    let elapsed = 100;
    const held: Store = {
      ...store,
      write: async (writes, token, { renewed } = {}) => {
        elapsed += 250.4;
        return store.write(renewed?.() ?? writes, token);
      },
    };
    const amounts = { available: centavos(1), reserved: centavos(0) };
    const move: LedgerPosting = { accountId: account.id, kind: 'DEPOSIT', ...amounts, at: noon, entryId: randomUUID() };
    await commit(held, { companyId, at: noon, ledger: [move], writes: [] }, () => elapsed);
    expect((await statement(true)).at(-1)?.at).toBe(plusMilliseconds(noon, 250));
  });
});
