import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { plusMilliseconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { centavos } from '#shared/core/money.ts';
import type { AccountStatus } from '#shared/platform/ledger/balance.ts';
import { maxBalancePart } from '#shared/platform/ledger/balance.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import {
  bookableFrom,
  ledgerWrites,
  parseShard,
  parseLedgerEntry,
  refusedPosting,
} from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Put } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { memoryStore } from '../support/memory-store.ts';

const companyId = 'company-a';
const at = '2026-03-10T12:00:00.000Z';
const move = (more: Partial<LedgerPosting> = {}): LedgerPosting => ({
  ...{ accountId: 'acc', kind: 'PAY_IN', available: centavos(100), reserved: centavos(0), at, entryId: 'entry' },
  ...more,
});
const balanceOf = (more: object = {}) => ({
  ...keys.balance(companyId, 'acc'),
  ...{ accountId: 'acc', accountStatus: 'ACTIVE', available: 0, reserved: 0, updatedAt: plusSeconds(at, -1) },
  ...more,
});

/** The most that a part has before so much comes in, and one centavo. */
const room = (comingIn: number): number => maxBalancePart - comingIn + 1;

let store = memoryStore();
beforeEach(() => {
  store = memoryStore();
});
/** Whether a balance takes a move. */
async function takes(balance: object, more: Partial<LedgerPosting>): Promise<boolean> {
  await store.write([{ put: balanceOf(balance) }], randomUUID());
  return (await store.write(ledgerWrites(companyId, move(more)), randomUUID())).ok;
}

describe('a ledger posting', () => {
  test('changes both parts, the time, and leaves its entry', async () => {
    const reserve = {
      kind: 'PAYOUT_RESERVED',
      available: centavos(-100),
      reserved: centavos(100),
      orderId: 'o',
    } as const;
    expect(await takes({ available: 100 }, reserve)).toBe(true);
    expect(await readBalance(store, companyId, 'acc')).toEqual({
      ...{ accountId: 'acc', accountStatus: 'ACTIVE', available: 0, reserved: 100, blocked: 0, updatedAt: at },
    });
    const [entry] = await store.read([keys.ledgerEntry(companyId, 'acc', at, 'entry')]);
    expect(entry).toMatchObject({ entity: 'LEDGER_ENTRY' });
    expect(parseLedgerEntry(entry!)).toEqual({ id: 'entry', accountId: 'acc', at, ...reserve, blocked: 0 });
  });

  test('changes one part of the balance alone when the other amount is zero, and its entry shows both', () => {
    const [balance, entry] = ledgerWrites(companyId, move());
    expect(balance).toMatchObject({ add: { available: 100 } });
    expect(balance).not.toHaveProperty('add.reserved');
    expect(entry).toMatchObject({ put: { available: 100, reserved: 0 } });
    expect(entry).not.toHaveProperty('put.orderId');
    expect(ledgerWrites(companyId, move({ available: centavos(0), reserved: centavos(-5) }))[0]).not.toHaveProperty(
      'add.available',
    );
  });

  test('fails with a RangeError when both its amounts are zero', () => {
    expect(() => ledgerWrites(companyId, move({ available: centavos(0) }))).toThrow(RangeError);
  });

  test('has an entry that no other takes', async () => {
    expect(await takes({}, {})).toBe(true);
    expect(await takes({}, {}), 'the same entry').toBe(false);
  });

  test('takes what is there, to the last centavo, of either part', async () => {
    for (const part of ['available', 'reserved'] as const) {
      const less = { available: centavos(0), [part]: centavos(-100) };
      expect(await takes({ [part]: 99 }, { ...less, entryId: `${part}-99` })).toBe(false);
      expect(await takes({ [part]: 100 }, { ...less, entryId: `${part}-100` })).toBe(true);
    }
  });

  test('takes a fee of the bank even if there is less, and no other kind', async () => {
    const fee = { available: centavos(-19) };
    expect(await takes({ available: 18 }, fee)).toBe(false);
    expect(await takes({ available: 18 }, { ...fee, kind: 'BANK_FEE' })).toBe(true);
    expect(await readBalance(store, companyId, 'acc')).toMatchObject({ available: -1 });
  });

  test('needs capacity for incoming money, unless it returns a reservation', async () => {
    const full = { available: maxBalancePart, reserved: maxBalancePart };
    const oneBelow = { ...full, available: maxBalancePart - 1 };
    const one = { available: centavos(1), entryId: 'one' };
    expect(await takes(full, one)).toBe(false);
    expect(await takes(oneBelow, one)).toBe(true);
    expect(await takes(full, { available: centavos(-1), reserved: centavos(1), entryId: 'promise' })).toBe(false);
    expect(await takes(full, { available: centavos(1), reserved: centavos(-1), entryId: 'back' })).toBe(true);
  });

  test.each([
    ['a credit: capacity for the amount', { available: centavos(100) }, [{ before: { available: room(100) } }]],
    ['a debit: the amount is available', { available: centavos(-100) }, [{ atLeast: { available: 100 } }]],
    [
      'a reservation: the amount is available, and the reserved part has capacity for it',
      { available: centavos(-100), reserved: centavos(100) },
      [{ atLeast: { available: 100 } }, { before: { reserved: room(100) } }],
    ],
    [
      'the release of a reservation: only that the amount is reserved',
      { available: centavos(100), reserved: centavos(-100) },
      [{ atLeast: { reserved: 100 } }],
    ],
  ])('has, beside the condition of its time, the conditions of %s', (_of, parts, demands) => {
    const [balance] = ledgerWrites(companyId, move(parts));
    const time = { any: [{ before: { updatedAt: at } }, { after: { updatedAt: plusSeconds(at, 60) } }] };
    expect(balance).toMatchObject({ when: { all: [time, ...demands] } });
  });

  test('needs an active account only when it requires one', async () => {
    const closed = { accountStatus: 'CLOSED' };
    expect(await takes(closed, { requireActive: true })).toBe(false);
    expect(await takes(closed, { requireActive: false })).toBe(true);
    expect(await takes({}, { requireActive: true, entryId: 'active' })).toBe(true);
  });
});

describe('the entries of an account stand in the order of their commits', () => {
  /** The balance's last move, in milliseconds after the move that is asked for. */
  test.each([
    [-1, undefined],
    [0, 1],
    [1, 2],
    [60_000, 60_001],
    [60_001, undefined],
  ])(
    'a posting whose account has its last posting %s ms later is booked at the earliest %s ms later',
    async (laterMs, bookableMs) => {
      const updatedAt = plusMilliseconds(at, laterMs);
      expect(await takes({ updatedAt }, {})).toBe(bookableMs === undefined);
      const from = bookableMs === undefined ? undefined : plusMilliseconds(at, bookableMs);
      expect(bookableFrom(move(), balanceOf({ updatedAt }))).toBe(from);
    },
  );

  test('a balance that is missing gives no time', () => {
    expect(bookableFrom(move(), undefined)).toBeUndefined();
  });
});

describe('the reason why a balance did not take a posting', () => {
  const why = (posting: Partial<LedgerPosting>, balance: object) => {
    const { kind, message, details } = refusedPosting(move(posting), balanceOf(balance));
    return [kind, details[0]?.field, details[0]?.issue, message];
  };
  const insufficient = ['state', 'amount', 'INSUFFICIENT_BALANCE', 'The account has not enough balance.'];
  const full = [
    ...['state', 'amount', 'LIMIT_EXCEEDED'],
    'An account holds at most BRL 45000000000000.00, and as much promised.',
  ];

  test('is that the account is not found when there is no balance', () => {
    const { kind, message } = refusedPosting(move(), undefined);
    expect([kind, message]).toEqual(['missing', 'Account not found.']);
  });

  test.each<AccountStatus>(['INACTIVE', 'CLOSED'])(
    'is that the account is %s when the posting requires an active one',
    (accountStatus) => {
      const notActive = ['state', 'accountId', 'INVALID_VALUE', `The account is ${accountStatus}; it must be ACTIVE.`];
      const out = { available: centavos(-1) };
      expect(why({ ...out, requireActive: true }, { accountStatus })).toEqual(notActive);
      expect(why(out, { accountStatus })).toEqual(insufficient);
      expect(why({ ...out, requireActive: true }, {})).toEqual(insufficient);
    },
  );

  test('is too little of either part, or else the limit of an account', () => {
    expect(why({ available: centavos(-100) }, { available: 99 })).toEqual(insufficient);
    expect(why({ available: centavos(-100) }, { available: 100 })).toEqual(full);
    expect(why({ reserved: centavos(-100) }, { reserved: 99 })).toEqual(insufficient);
    expect(why({ reserved: centavos(-100) }, { reserved: 100 })).toEqual(full);
    expect(why({ available: centavos(-1), reserved: centavos(5) }, { available: 0, reserved: 9 })).toEqual(
      insufficient,
    );
  });
});

describe('a stored balance or ledger entry', () => {
  test('is read whole or not at all', () => {
    const entry = ledgerWrites(companyId, move({ orderId: 'o' }))[1] as Put;
    for (const name of ['entity', 'id', 'accountId', 'kind', 'available', 'reserved', 'at'])
      expect(() => parseLedgerEntry({ ...entry.put, PK: 'p', SK: 's', [name]: null }), name).toThrow(CorruptItem);
    for (const name of ['accountId', 'accountStatus', 'available', 'reserved', 'updatedAt'])
      expect(() => parseShard({ ...balanceOf(), [name]: null }), name).toThrow(CorruptItem);
    expect(() => parseLedgerEntry({ ...entry.put, PK: 'p', SK: 's', entity: 'OTHER' })).toThrow('ledger entry');
    expect(() => parseShard({ ...balanceOf(), available: 0.5 })).toThrow('balance');
  });

  test('a stored balance has no money blocked until some is, in any shard', async () => {
    const shard = (n: number, more: object) => ({ put: { ...balanceOf(more), ...keys.balance(companyId, 'acc', n) } });
    await store.write([shard(0, { shards: 2, moves: 0, blocked: 30 }), shard(1, { moves: 0 })], randomUUID());
    expect(await readBalance(store, companyId, 'acc')).toMatchObject({ available: 0, reserved: 0, blocked: 30 });
    await store.write([shard(1, { moves: 0, blocked: 12 })], randomUUID());
    expect(await readBalance(store, companyId, 'acc')).toMatchObject({ blocked: 42 });
    const { put } = ledgerWrites(companyId, move())[1] as Put;
    expect(put).not.toHaveProperty('blocked');
    expect(parseLedgerEntry({ ...put, blocked: -30 })).toMatchObject({ blocked: -30 });
  });

  test('is absent without an account', async () => {
    expect(await readBalance(store, companyId, 'nobody')).toBeUndefined();
  });
});
