import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { centavos } from '#shared/core/money.ts';
import type { Notification } from '#shared/platform/outbox/delivery.ts';
import { RequestError } from '#shared/core/errors.ts';
import type { Change, RetryPolicy } from '#shared/platform/commit.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import { keyExpiry, parseIdempotency, replayOf } from '#shared/platform/idempotency.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import { memoryStore } from '../support/memory-store.ts';
import { errorOf } from '../support/refusals.ts';
import { CorruptItem, StoreUnavailable } from '#shared/platform/table/store.ts';

const C = 'company-a';
const at = '2026-03-10T12:00:00.000Z';
let store = memoryStore();
beforeEach(() => {
  store = memoryStore();
});

const claim = (more: Partial<NonNullable<Change['idempotency']>> = {}) => ({
  operation: 'op',
  key: 'k',
  fingerprint: 'f',
  resourceId: 'r1',
  expiresAt: keyExpiry(at),
  ...more,
});
const entity = (id: string) => ({ put: { ...keys.order(C, id), version: 1 }, when: { is: 'absent' as const } });
const take = (more: Partial<LedgerPosting> = {}): LedgerPosting => ({
  accountId: 'acc',
  kind: 'PAYOUT_RESERVED',
  available: centavos(-100),
  reserved: centavos(100),
  at: at,
  entryId: randomUUID(),
  ...more,
});
const listed = { createdAt: '2026-01-15T12:00:00.000Z', accountId: 'a' };
const unique = { kind: 'PAYOUT' as const, externalId: 'x', resourceId: 'r1', listed };
const notification: Notification = {
  id: 'd1',
  event: 'ORDER-PAYIN.PAID',
  resource: { type: 'PAY_IN', id: 'o1' },
  target: { type: 'PAYIN' },
  body: '{}',
  createdAt: at,
  requestId: 'q',
};
const change = (more: Partial<Change> = {}): Change => ({ companyId: C, at: at, writes: [entity('o1')], ...more });
const put = (...items: readonly Parameters<typeof store.write>[0][number][]) => store.write(items, randomUUID());
const withBalance = (available: number, accountStatus = 'ACTIVE') =>
  put({ put: { ...keys.balance(C, 'acc'), accountId: 'acc', accountStatus, available, reserved: 0, updatedAt: at } });

describe('a change', () => {
  test('is one transaction: key, external id, money, entity and delivery all at once', async () => {
    await withBalance(100);
    const whole = change({ idempotency: claim(), unique, ledger: [take()], notifications: [notification] });
    expect(await commit(store, whole)).toEqual({ ok: true });
    const entities = store.all().map(({ entity: kind }) => kind);
    expect(entities.filter((kind) => typeof kind === 'string').toSorted()).toEqual([
      'DELIVERY',
      'DELIVERY_BODY',
      'IDEMPOTENCY',
      'LEDGER_ENTRY',
      'UNIQUE',
    ]);
    const [balance] = await store.read([keys.balance(C, 'acc')]);
    expect(balance).toMatchObject({ available: 0, reserved: 100 });
  });

  test.each(['idempotency', 'unique', 'ledger', 'entity', 'delivery'])(
    'leaves no trace when its %s is refused',
    async (part) => {
      await withBalance(part === 'ledger' ? 99 : 100);
      if (part === 'idempotency') await commit(store, change({ idempotency: claim(), writes: [entity('other')] }));
      if (part === 'unique') await commit(store, change({ unique, writes: [entity('other')] }));
      if (part === 'entity') await put(entity('o1'));
      if (part === 'delivery')
        await commit(store, change({ writes: [entity('other')], notifications: [notification] }));
      const before = structuredClone(store.all());
      const idempotency = claim({ resourceId: 'r2' });
      const whole = change({ idempotency, unique, ledger: [take()], notifications: [notification] });
      expect((await commit(store, whole)).ok).toBe(false);
      expect(store.all()).toEqual(before);
    },
  );
});

describe('a change with several failed conditions', () => {
  /** Everything stands in the way but what is left out. */
  async function obstructed(...without: readonly ('key' | 'unique' | 'entity' | 'balance')[]): Promise<Change> {
    await withBalance(without.includes('balance') ? 100 : 0);
    if (!without.includes('key'))
      await commit(store, change({ idempotency: claim({ resourceId: 'r0' }), writes: [entity('o0')] }));
    if (!without.includes('unique'))
      await commit(store, change({ unique: { ...unique, resourceId: 'r0' }, writes: [entity('o00')] }));
    if (!without.includes('entity')) await put(entity('o1'));
    return change({ idempotency: claim(), unique, ledger: [take()] });
  }

  test('is a repetition when its key is used, although all other conditions fail too', async () => {
    const record = { fingerprint: 'f', resourceId: 'r0' };
    expect(await commit(store, await obstructed())).toMatchObject({ ok: false, because: 'REPLAY', record });
  });

  test('is refused as ALREADY_EXISTS when its key is free and its external id is taken', async () => {
    expect(await commit(store, await obstructed('key'))).toEqual({ ok: false, because: 'ALREADY_EXISTS' });
  });

  test('is a conflict when its entity exists, whether or not the balance is too low', async () => {
    for (const without of [['key', 'unique'] as const, ['key', 'unique', 'balance'] as const]) {
      store = memoryStore();
      expect(await commit(store, await obstructed(...without))).toEqual({ ok: false, because: 'CONFLICT' });
    }
  });

  test('is refused by the balance when no other condition fails', async () => {
    const committed = await commit(store, await obstructed('key', 'unique', 'entity'));
    expect(committed).toMatchObject({ ok: false, because: 'BALANCE', error: { kind: 'state' } });
  });

  test('is committed once none of them fails', async () => {
    expect(await commit(store, await obstructed('key', 'unique', 'entity', 'balance'))).toEqual({ ok: true });
  });
});

describe('a balance refuses', () => {
  const error = async (move: LedgerPosting): Promise<unknown> => {
    const committed = await commit(store, change({ ledger: [move] }));
    return !committed.ok && committed.because === 'BALANCE' ? committed.error : committed;
  };

  test('an amount above its available money', async () => {
    await withBalance(99);
    expect(await error(take())).toMatchObject({ details: [{ field: 'amount', issue: 'INSUFFICIENT_BALANCE' }] });
  });

  test('to send from an account that is not active, whatever it has', async () => {
    await withBalance(0, 'CLOSED');
    const refused = await error(take({ requireActive: true }));
    expect(refused).toMatchObject({ kind: 'state', details: [{ field: 'accountId', issue: 'INVALID_VALUE' }] });
  });

  test('an account that does not exist', async () => {
    expect(await error(take())).toMatchObject({ kind: 'missing' });
  });

  test('but books a credit to a closed account', async () => {
    await withBalance(0, 'CLOSED');
    const credit = take({ kind: 'PAY_IN', available: centavos(5), reserved: centavos(0) });
    expect(await commit(store, change({ ledger: [credit] }))).toEqual({ ok: true });
  });
});

describe('an idempotency key', () => {
  test('leads to the resource of its own change, created once, when that change is committed again', async () => {
    expect(await commit(store, change({ idempotency: claim(), unique }))).toEqual({ ok: true });
    // Another token, as after the ten minutes for which the database knows the first one.
    const record = { resourceId: 'r1' };
    expect(await commit(store, change({ idempotency: claim(), unique }))).toMatchObject({ because: 'REPLAY', record });
    expect(store.all()).toHaveLength(3);
  });

  test('works again one second after its end, and not before', async () => {
    await commit(store, change({ idempotency: claim({ resourceId: 'r0' }), writes: [] }));
    const again = (at: string) => commit(store, change({ at, idempotency: claim(), writes: [entity(at)] }));
    expect(await again('2026-03-17T12:00:00.999Z')).toMatchObject({ because: 'REPLAY' });
    expect(await again('2026-03-17T12:00:01.000Z')).toEqual({ ok: true });
  });

  test('without an end never works again', async () => {
    const { expiresAt: _expiresAt, ...forEver } = claim({ resourceId: 'r0' });
    await commit(store, change({ idempotency: forEver, writes: [] }));
    const [item] = await store.read([keys.idempotency(C, 'op', 'k')]);
    expect(parseIdempotency(item, '2999-01-01T00:00:00.000Z')).toEqual({ fingerprint: 'f', resourceId: 'r0' });
    const later = change({ at: '2999-01-01T00:00:00.000Z', idempotency: claim() });
    expect(await commit(store, later)).toMatchObject({ because: 'REPLAY' });
  });

  test('is remembered until its end as it is claimed until its end', async () => {
    await commit(store, change({ idempotency: claim(), writes: [] }));
    const [item] = await store.read([keys.idempotency(C, 'op', 'k')]);
    expect(parseIdempotency(item, '2026-03-17T12:00:00.999Z')).toMatchObject({ resourceId: 'r1' });
    expect(parseIdempotency(item, '2026-03-17T12:00:01.000Z')).toBeUndefined();
    expect(parseIdempotency(undefined, at)).toBeUndefined();
  });

  test('belongs to one company and one operation', async () => {
    const other = claim({ resourceId: 'r2' });
    expect(await commit(store, change({ idempotency: claim() }))).toEqual({ ok: true });
    expect(await commit(store, change({ companyId: 'company-b', idempotency: other, writes: [] }))).toEqual({
      ok: true,
    });
    const elsewhere = change({ idempotency: { ...other, operation: 'op2' }, writes: [entity('o2')] });
    expect(await commit(store, elsewhere)).toEqual({ ok: true });
  });

  test('used for another request is refused, used for the same one leads to its resource', () => {
    const record = { fingerprint: 'f', resourceId: 'r1' };
    expect(replayOf(record, 'f')).toBe('r1');
    expect(() => replayOf(record, 'g')).toThrow(RequestError);
    expect(errorOf(() => replayOf(record, 'g'))).toBe('409 idempotency-key:IDEMPOTENCY_KEY_REUSED');
    expect(() => replayOf(record, 'g')).toThrow(
      'The key was used for another request. Repeat the first request unchanged, or send a new key.',
    );
  });

  test('whose item is malformed is an error, never a success', () => {
    expect(() => parseIdempotency({ PK: 'a', SK: 'b', resourceId: 7 }, at)).toThrow(CorruptItem);
  });
});

describe('a change that keeps conflicting with others', () => {
  /** A clock that only pauses and tries move; a try takes 10 ms, chance is always 1/2. */
  function waiting() {
    const world = { ms: 0, tries: 0, pauses: [] as number[] };
    const policy: RetryPolicy = {
      sleep: (ms) => {
        world.pauses.push(ms);
        world.ms += ms;
        return Promise.resolve();
      },
      random: () => 0.5,
      elapsedMs: () => world.ms,
      retryForMs: 2000,
    };
    const attempt = (until: number) => () => {
      world.ms += 10;
      return Promise.resolve((world.tries += 1) < until ? undefined : 'done');
    };
    return { world, policy, attempt };
  }

  test('is decided again after pauses that grow to an end', async () => {
    const { world, policy, attempt } = waiting();
    expect(await untilCommitted(attempt(8), policy)).toBe('done');
    expect(world.pauses).toEqual([10, 20, 40, 80, 160, 320, 320]);
  });

  test('is unavailable after the last try that its patience allows', async () => {
    const { world, policy, attempt } = waiting();
    await expect(untilCommitted(attempt(99), policy)).rejects.toThrow(StoreUnavailable);
    expect(world.ms).toBeGreaterThanOrEqual(2000);
    expect(world.ms).toBeLessThanOrEqual(2000 + 320 + 10);
  });

  test('passes with fifty others that change the same item at once', async () => {
    const counter = { PK: 'counter', SK: 'C' };
    await store.writeOne({ put: { ...counter, version: 1 } });
    const raise = () =>
      untilCommitted(async () => {
        const [item] = await store.read([counter]);
        // A decision takes a moment, in which the others read as well.
        await new Promise((resolve) => setTimeout(resolve, 5));
        const version = Number(item?.['version']);
        const put = { ...counter, version: version + 1 };
        return (await store.writeOne({ put, when: { equals: { version } } })).ok ? 'done' : undefined;
      });
    await Promise.all(Array.from({ length: 50 }, raise));
    expect((await store.read([counter]))[0]).toMatchObject({ version: 51 });
  });
});
