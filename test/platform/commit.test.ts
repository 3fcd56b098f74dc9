import { describe, expect, test } from 'vitest';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { FailedCondition, Item, Store, Write, WriteOptions, WriteOutcome } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { memoryStore } from '../support/memory-store.ts';

const companyId = 'company-a';
const at = '2026-03-10T12:00:00.000Z';
const later = (milliseconds: number): string => plusMilliseconds(at, milliseconds);
const put = { put: keys.order(companyId, 'o'), when: { is: 'absent' } } as const;
const move = (accountId: string, available: number): LedgerPosting => ({
  ...{ accountId, kind: 'PAY_IN', at, entryId: `entry-${accountId}` },
  ...{ available: centavos(available), reserved: centavos(0) },
});
const balance = (accountId: string, updatedAt: string, available = 0): Item => ({
  ...keys.balance(companyId, accountId),
  ...{ accountId, accountStatus: 'ACTIVE', available, reserved: 0, updatedAt },
});

type Renew = WriteOptions['renewed'];
type Answer = (writes: readonly Write[], renew: Renew, contended: WriteOptions['contended']) => WriteOutcome;

/** A table that answers the writes of one change, in their order; the last answer holds for all that follow. */
function answering(...responses: readonly Answer[]) {
  let calls = 0;
  const write: Store['write'] = (writes, _token, { renewed, contended } = {}) => {
    const response = responses[Math.min(calls, responses.length - 1)];
    calls += 1;
    return Promise.resolve(response?.(writes, renewed, contended) ?? { ok: true });
  };
  return { store: { ...memoryStore(), write }, calls: () => calls };
}
const failing =
  (...failed: readonly FailedCondition[]): Answer =>
  () => ({ ok: false, failed });
/** When the moves of these writes are booked, by their entries. */
const bookedAt = (writes: readonly Write[]): readonly unknown[] =>
  writes.flatMap((write) => ('put' in write && write.put['entity'] === 'LEDGER_ENTRY' ? [write.put['at']] : []));

describe('a ledger posting', () => {
  test('is booked at the time of the try when the table tries it again', async () => {
    const seen: unknown[] = [];
    let now = 1000;
    const { store } = answering((writes, renew) => {
      seen.push(...bookedAt(writes));
      for (const passed of [250, 150]) {
        now += passed;
        seen.push(...bookedAt(renew?.() ?? []));
      }
      return { ok: true };
    });
    await commit(store, { companyId, at, ledger: [move('a', 100)], writes: [put] }, () => now);
    expect(seen).toEqual([at, later(250), later(400)]);
  });

  test.each([
    ['one millisecond after the last posting of its account', 0, later(6)],
    ['at the current time, which is later than the last posting,', 100, later(100)],
  ])('is booked %s when its time was too early', async (_when, passed, expected) => {
    const seen: unknown[] = [];
    let now = 1000;
    const { store } = answering(
      () => {
        now += passed;
        return { ok: false, failed: [{ index: 0, item: balance('a', later(5)) }] };
      },
      (writes) => {
        seen.push(...bookedAt(writes));
        return { ok: true };
      },
    );
    const change = { companyId, at, ledger: [move('a', 100)], writes: [put] };
    expect(await commit(store, change, () => now)).toEqual({ ok: true });
    expect(seen).toEqual([expected]);
  });

  test('is a conflict after ten tries when it always comes too early', async () => {
    const { store, calls } = answering(failing({ index: 0, item: balance('a', later(5)) }));
    // Each try is as early as the first: the account moves on between them.
    let next = 0;
    const busy: Store = {
      ...store,
      write: async (writes, token, renew) => {
        await store.write(writes, token, renew);
        next += 10;
        return { ok: false, failed: [{ index: 0, item: balance('a', later(next)) }] };
      },
    };
    const change = { companyId, at, ledger: [move('a', 100)], writes: [put] };
    expect(await commit(busy, change, () => 0)).toEqual({ ok: false, because: 'CONFLICT' });
    expect(calls()).toBe(10);
  });

  test('is refused for the account that does not take it, not for one where it only came too early', async () => {
    const early = { index: 0, item: balance('a', later(5)) };
    const poor = { index: 2, item: balance('b', later(-5), 99) };
    const { store } = answering(failing(early, poor));
    const change = { companyId, at, ledger: [move('a', 100), move('b', -100)], writes: [] };
    expect(await commit(store, change, () => 0)).toMatchObject({
      ...{ ok: false, because: 'BALANCE' },
      error: { details: [{ field: 'amount', issue: 'INSUFFICIENT_BALANCE' }] },
    });
  });
});

describe('a failed commit without a known reason', () => {
  const change = { companyId, at, writes: [put] };

  test('is a corrupt item when the idempotency key was used and has no record', async () => {
    const idempotency = { operation: 'make', key: 'k', fingerprint: 'f', resourceId: 'r' };
    const { store } = answering(failing({ index: 0 }));
    const refused = commit(store, { ...change, idempotency });
    await expect(refused).rejects.toThrow(CorruptItem);
    await expect(refused).rejects.toThrow('A used idempotency key has no record.');
  });

  test('names the idempotency record when that cannot be read', async () => {
    const idempotency = { operation: 'make', key: 'k', fingerprint: 'f', resourceId: 'r' };
    const item = { ...keys.idempotency(companyId, 'make', 'k'), fingerprint: 7 };
    const { store } = answering(failing({ index: 0, item }));
    await expect(commit(store, { ...change, idempotency })).rejects.toThrow('idempotency');
  });
});

test('no further try begins when the time for tries is over', async () => {
  const times = [0, 6000];
  let tries = 0;
  const policy = {
    sleep: () => Promise.resolve(),
    random: () => 0,
    elapsedMs: () => times.shift() ?? 0,
    retryForMs: 6000,
  };
  const attempt = () => {
    tries += 1;
    return Promise.resolve(undefined);
  };
  await expect(untilCommitted(attempt, policy)).rejects.toThrow('changed it during every try');
  expect(tries).toBe(1);
});

test('a change without a ledger posting is tried again unchanged', async () => {
  const renewals: Renew[] = [];
  const { store } = answering((_writes, renew) => {
    renewals.push(renew);
    return { ok: true };
  });
  await commit(store, { companyId, at, writes: [put] });
  await commit(store, { companyId, at, ledger: [move('a', 1)], writes: [put] });
  expect(renewals).toEqual([undefined, expect.any(Function)]);
});

test('a change gives up a contended balance early only where its caller asks for it', async () => {
  const named: WriteOptions['contended'][] = [];
  const { store } = answering((_writes, _renew, contended) => {
    named.push(contended);
    return { ok: true };
  });
  const change = { companyId, at, ledger: [move('a', 1), move('b', -1)], writes: [put] };
  await commit(store, change);
  await commit(store, { ...change, onContention: 'SHED' });
  // Balance and entry of each posting come first.
  expect(named).toEqual([undefined, [0, 2]]);
});
