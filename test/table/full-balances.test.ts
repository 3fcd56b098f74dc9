import { expect, it } from 'vitest';
import { maxBalancePart } from '#shared/platform/ledger/balance.ts';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { accountInserts } from '#shared/accounts/store.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import { ledgerWrites, parseLedgerEntry, refusedPosting } from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { randomIds } from '#shared/platform/ids.ts';
import { sampleAccount } from '../support/listings.ts';
import { fc } from '../support/properties.ts';
import { onEveryStore } from '../support/stores.ts';

const at = '2026-01-15T12:00:00.000Z';

/** The n-th move of an account: each has a time of its own. */
function moveOf(n: number, accountId: string, available: number, reserved: number): LedgerPosting {
  const deltas = { available: centavos(available), reserved: centavos(reserved) };
  return { accountId, kind: 'DEPOSIT', ...deltas, at: plusMilliseconds(at, n), entryId: randomIds.uuid() };
}

onEveryStore((store) => {
  async function opened() {
    const account = sampleAccount({ companyId: randomIds.uuid() });
    const { companyId, id } = account;
    const opening = { amount: centavos(0), entryId: randomIds.uuid(), at };
    await store().write(accountInserts(await readOrMakeHash(store()), account, opening), randomIds.uuid());
    let moves = 0;
    const move = (available: number, reserved: number) => {
      moves += 1;
      return store().write(ledgerWrites(companyId, moveOf(moves, id, available, reserved)), randomIds.uuid());
    };
    const held = async () => {
      const { available, reserved } = (await readBalance(store(), companyId, id))!;
      return { available, reserved };
    };
    const entries = async () => {
      const { PK } = keys.balance(companyId, id);
      return (await store().query({ partition: PK, prefix: prefixes.ledgerEntry })).items.map(parseLedgerEntry);
    };
    return { move, held, entries };
  }

  it('a balance can be read and counted whatever comes in, and what was promised can always be given back', async () => {
    const amount = fc.integer({ min: 1, max: 4_000_000_000_000_000 });
    const kind = fc.constantFrom('credit', 'credit', 'credit', 'reserve', 'reserve', 'return', 'spend', 'part');
    const steps = fc.array(fc.record({ kind, amount }), { minLength: 6, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(steps, async (wanted) => {
        const { move, held, entries } = await opened();
        for (const { kind, amount } of wanted) {
          const before = await held();
          const settledAmount = Math.min(amount, before.reserved);
          const deltas = {
            credit: [amount, 0],
            reserve: [-amount, amount],
            return: [settledAmount, -settledAmount],
            spend: [0, -settledAmount],
            part: [Math.floor(settledAmount / 2), -settledAmount],
          } as const;
          const [available, reserved] = deltas[kind];
          if (available === 0 && reserved === 0) continue;
          const { ok } = await move(available, reserved);
          expect(ok || reserved >= 0, 'the end of a reservation is never refused').toBe(true);
          const after = { available: before.available + available, reserved: before.reserved + reserved };
          expect(await held()).toEqual(ok ? after : before);
        }
        const booked = (await entries()).reduce((sum, one) => sum + BigInt(one.available) + BigInt(one.reserved), 0n);
        const { available, reserved } = await held();
        expect(booked).toBe(BigInt(available) + BigInt(reserved));
      }),
      { numRuns: 25 },
    );
  });

  it('an account takes in what it can hold and not a centavo more', async () => {
    const most: number = maxBalancePart;
    const { move, held } = await opened();
    expect((await move(most, 0)).ok).toBe(true);
    const refused = await move(1, 0);
    expect(refused).toMatchObject({ ok: false, failed: [{ index: 0, item: { available: most } }] });
    expect((await move(-most, most)).ok).toBe(true);
    expect((await move(most, 0)).ok).toBe(true);
    expect(await move(-1, 1), 'a larger reservation is refused').toMatchObject({ ok: false, failed: [{ index: 0 }] });
    expect((await move(most, -most)).ok).toBe(true);
    expect(await held()).toEqual({ available: 2 * most, reserved: 0 });
    expect(Number.isSafeInteger(2 * most)).toBe(true);
  });
});

it('a move is refused with LIMIT_EXCEEDED and the bound when it exceeds the capacity of the account', () => {
  const full = { available: maxBalancePart, reserved: maxBalancePart };
  const item = { PK: 'p', SK: 's', accountId: 'a', accountStatus: 'CLOSED', ...full, updatedAt: at };
  for (const [available, reserved] of [
    [1, 0],
    [-1, 1],
  ] as const) {
    const { kind, details } = refusedPosting(moveOf(1, 'a', available, reserved), item);
    expect([kind, details]).toMatchObject(['state', [{ field: 'amount', issue: 'LIMIT_EXCEEDED' }]]);
    expect(details[0]?.description).toContain('45000000000000.00');
  }
});
