import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '#shared/accounts/model.ts';
import { centavos } from '#shared/core/money.ts';
import {
  accountInserts,
  accountItem,
  accountStatusUpdates,
  parseAccount,
  readAccount,
} from '#shared/accounts/store.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import type { LedgerPosting } from '#shared/platform/ledger/ledger.ts';
import {
  ledgerWrites,
  parseShard,
  ledgerEntryPut,
  parseLedgerEntry,
  refusedPosting,
} from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { commit, untilCommitted } from '#shared/platform/commit.ts';
import { sampleAccount } from '../support/listings.ts';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { CorruptItem } from '#shared/platform/table/store.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';

const at = '2026-01-15T12:00:00.000Z';
const later = '2026-01-15T12:00:01.000Z';

function anAccount(more: Partial<Account> = {}): Account {
  const name = { fullName: 'José Antônio Gonçalves', email: 'José@Example.com' };
  return sampleAccount({ companyId: randomIds.uuid(), ...name, createdAt: at, ...more });
}

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const stores: readonly (readonly [string, () => Store])[] = [
  ['in memory', memoryStore],
  ['on a DynamoDB engine', () => dynamoStore({ client: engine.client, tableName: engine.tableName })],
];

describe.each(stores)('an account %s', (_where, open) => {
  async function opened(more: Partial<Account> = {}, amount = 10_000) {
    const store = open();
    const account = anAccount(more);
    const opening = { amount: centavos(amount), entryId: randomIds.uuid(), at: at };
    const outcome = await store.write(accountInserts(await readOrMakeHash(store), account, opening), randomIds.uuid());
    expect(outcome).toEqual({ ok: true });
    const { companyId, id: accountId } = account;
    const move = (available: number, reserved: number, rest: Partial<LedgerPosting> = {}) => {
      const deltas = { available: centavos(available), reserved: centavos(reserved) };
      const wanted: LedgerPosting = {
        accountId,
        kind: 'DEPOSIT',
        ...deltas,
        at: later,
        entryId: randomIds.uuid(),
        ...rest,
      };
      return store.write(ledgerWrites(companyId, wanted), randomIds.uuid());
    };
    const balance = () => readBalance(store, companyId, accountId);
    const entries = async () => {
      const { PK } = keys.balance(companyId, accountId);
      const page = await store.query({ partition: PK, prefix: prefixes.ledgerEntry });
      return page.items.map(parseLedgerEntry);
    };
    return { store, account, companyId, accountId, move, balance, entries };
  }

  it('reads the account that was written, with and without what is optional', async () => {
    const { store, account } = await opened({ pixTransactionLimit: centavos(5) });
    expect(await readAccount(store, account.companyId, account.id)).toEqual(account);
    const { bankNumber: _none, ...bankAccountData } = account.bankAccountData;
    const bare = anAccount({ holderType: null, bankAccountData });
    expect(parseAccount(accountItem(bare))).toEqual(bare);
  });

  it("does not find another company's account", async () => {
    const { store, accountId } = await opened();
    expect(await readAccount(store, randomIds.uuid(), accountId)).toBeUndefined();
    expect(await readBalance(store, randomIds.uuid(), accountId)).toBeUndefined();
  });

  it('opens with money that has its entry, or with none and no entry', async () => {
    const rich = await opened({}, 10_000);
    expect(await rich.balance()).toEqual({
      accountId: rich.accountId,
      accountStatus: 'ACTIVE',
      available: 10_000,
      reserved: 0,
      blocked: 0,
      updatedAt: at,
    });
    expect(await rich.entries()).toMatchObject([{ kind: 'OPENING', available: 10_000, reserved: 0, at: at }]);
    const poor = await opened({}, 0);
    expect(await poor.balance()).toMatchObject({ available: 0, reserved: 0 });
    expect(await poor.entries()).toEqual([]);
  });

  it('is opened once', async () => {
    const { store, account } = await opened();
    const hash = await readOrMakeHash(store);
    const again = accountInserts(hash, account, { amount: centavos(1), entryId: randomIds.uuid(), at: at });
    expect((await store.write(again, randomIds.uuid())).ok).toBe(false);
  });

  it.each<[string, [number, number]]>([
    ['the reservation of its available amount', [-10_000, 10_000]],
    ['a credit', [1, 0]],
  ])('books %s with one ledger entry', async (_what, [available, reserved]) => {
    const { move, balance, entries } = await opened();
    const orderId = randomIds.orderId();
    expect(await move(available, reserved, { kind: 'PAYOUT_RESERVED', orderId })).toEqual({ ok: true });
    expect(await balance()).toMatchObject({ available: 10_000 + available, reserved, updatedAt: later });
    expect((await entries())[1]).toMatchObject({ kind: 'PAYOUT_RESERVED', orderId, available, reserved, at: later });
  });

  it.each<[string, [number, number]]>([
    ['more than its available amount', [-10_001, 10_001]],
    ['more than its reserved amount', [0, -1]],
    ['the release of an amount that is not reserved', [5, -5]],
  ])('does not book %s, and writes no ledger entry', async (_what, [available, reserved]) => {
    const { move, balance, entries } = await opened();
    const outcome = await move(available, reserved);
    expect(outcome).toMatchObject({ ok: false, failed: [{ index: 0, item: { available: 10_000 } }] });
    expect(await balance()).toMatchObject({ available: 10_000, reserved: 0, updatedAt: at });
    expect(await entries()).toHaveLength(1);
  });

  it('is not credited where there is no account', async () => {
    const { store, companyId } = await opened();
    const stray = {
      accountId: randomIds.uuid(),
      kind: 'PAY_IN',
      available: centavos(1),
      reserved: centavos(0),
    } as const;
    const writes = ledgerWrites(companyId, { ...stray, at: at, entryId: randomIds.uuid() });
    expect(await store.write(writes, randomIds.uuid())).toEqual({ ok: false, failed: [{ index: 0 }] });
  });

  it.each(['INACTIVE', 'CLOSED'] as const)(
    'an account that is %s refuses the debit of a request, and books a credit',
    async (status) => {
      const { move, balance } = await opened({ status });
      const asked = await move(-1, 1, { kind: 'PAYOUT_RESERVED', requireActive: true });
      expect(asked).toMatchObject({ ok: false, failed: [{ index: 0, item: { accountStatus: status } }] });
      expect((await move(1, 0, { kind: 'PAY_IN' })).ok).toBe(true);
      expect(await balance()).toMatchObject({ available: 10_001 });
    },
  );

  it('changes its status and the copy beside its money at once, and only from the status it had', async () => {
    const { store, account, companyId, accountId, balance } = await opened();
    const change = accountStatusUpdates(account, 'INACTIVE', later);
    expect((await store.write(change, randomIds.uuid())).ok).toBe(true);
    expect(await readAccount(store, companyId, accountId)).toMatchObject({ status: 'INACTIVE' });
    expect(await balance()).toMatchObject({ accountStatus: 'INACTIVE', available: 10_000 });
    const again = await store.write(change, randomIds.uuid());
    expect(again).toMatchObject({ ok: false, failed: [{ index: 0 }, { index: 1 }] });
  });

  it.each([[1, 0] as const, [0, 1] as const, [0, 0] as const])(
    'is closed with %d available and %d reserved only when both are 0, in the account and its copy alike',
    async (available, reserved) => {
      const { store, account, companyId, accountId, move, balance } = await opened({}, 2);
      await move(available - 2, reserved);
      const change = accountStatusUpdates(account, 'CLOSED', later);
      const empty = available + reserved === 0;
      expect(await store.write(change, randomIds.uuid())).toMatchObject(
        empty ? { ok: true } : { failed: [{ index: 1 }] },
      );
      const status = empty ? 'CLOSED' : 'ACTIVE';
      expect(await readAccount(store, companyId, accountId)).toMatchObject({ status });
      expect(await balance()).toMatchObject({ accountStatus: status });
    },
  );

  it.each([
    [undefined, true],
    [0, true],
    [1, false],
  ])('is closed with %s blocked: %s, in either shard', async (blocked, isClosed) => {
    for (const at of [0, 1]) {
      const { store, account, companyId, accountId } = await opened();
      for (const shard of [0, 1]) {
        const facts = { accountId, accountStatus: 'ACTIVE', available: 0, reserved: 0, updatedAt: account.createdAt };
        const held = shard === at && blocked !== undefined ? { blocked } : {};
        await store.writeOne({ put: { ...keys.balance(companyId, accountId, shard), ...facts, ...held } });
      }
      const closing = accountStatusUpdates(account, 'CLOSED', later, 2);
      expect(await store.write(closing, randomIds.uuid())).toMatchObject({ ok: isClosed });
    }
  });

  it('keeps the sum of the entries equal to the balance when twenty moves meet', async () => {
    const { store, companyId, accountId, balance, entries } = await opened({}, 10);
    const one = { accountId, kind: 'PAYOUT_RESERVED', available: centavos(-1), reserved: centavos(1) } as const;
    const racing = Array.from({ length: 20 }, () =>
      untilCommitted(async () => {
        const ledger = [{ ...one, at: new Date().toISOString(), entryId: randomIds.uuid() }];
        const committed = await commit(store, { companyId, at: later, ledger, writes: [] });
        return committed.ok || committed.because !== 'CONFLICT' ? committed.ok : undefined;
      }),
    );
    const won = (await Promise.all(racing)).filter(Boolean);
    expect(won).toHaveLength(10);
    const all = await entries();
    const sum = (part: 'available' | 'reserved') => all.reduce((total, entry) => total + entry[part], 0);
    expect(await balance()).toMatchObject({ available: 0, reserved: 10 });
    expect([sum('available'), sum('reserved')]).toEqual([0, 10]);
  });

  it.each([
    [{ email: 'josé@EXAMPLE' }, true],
    [{ fullName: 'antonio gonca' }, true],
    [{ fullName: 'ANTÔNIO' }, true],
    [{ document: '52998224725' }, true],
    [{ document: '5299822472' }, false],
    [{ status: 'CLOSED' }, false],
    [{ status: 'ACTIVE', fullName: 'jose', email: 'example' }, true],
    [{ fullName: 'maria' }, false],
    [{}, true],
  ] as const)('is in the listing with the filters %j: %s', async (search, expected) => {
    const { store, account, companyId } = await opened();
    const { found: accounts } = await listAccountsOf(store, companyId, search, { ascending: true, limit: 5 });
    expect(accounts).toEqual(expected ? [account] : []);
  });
});

describe('a ledger move', () => {
  const nothing = centavos(0);
  const move: LedgerPosting = {
    accountId: 'a',
    kind: 'DEPOSIT',
    available: nothing,
    reserved: nothing,
    at: at,
    entryId: 'e',
  };

  it('is read from its entry as it was written, without the attributes of the table', () => {
    const { put } = ledgerEntryPut('c', { ...move, available: centavos(7), orderId: 'o' });
    const { entryId: id, requireActive: _demand, ...facts } = { ...move, available: centavos(7), orderId: 'o' };
    expect(parseLedgerEntry(put)).toEqual({ id, ...facts, blocked: 0 });
  });

  it('is a RangeError when it changes neither available nor reserved', () => {
    expect(() => ledgerWrites('c', move)).toThrow(RangeError);
  });

  it('names the reason when it is refused: account missing, not active, or without the balance', () => {
    const balance = {
      PK: 'p',
      SK: 's',
      accountId: 'a',
      accountStatus: 'CLOSED',
      available: 5,
      reserved: 0,
      updatedAt: at,
    };
    const take = { ...move, available: centavos(-9) };
    expect(refusedPosting(take, undefined)).toMatchObject({ kind: 'missing' });
    expect(refusedPosting(take, balance).details).toMatchObject([{ field: 'amount', issue: 'INSUFFICIENT_BALANCE' }]);
    const strict = refusedPosting({ ...take, requireActive: true }, balance);
    expect(strict.details).toMatchObject([{ field: 'accountId', issue: 'INVALID_VALUE' }]);
    const active = refusedPosting({ ...take, requireActive: true }, { ...balance, accountStatus: 'ACTIVE' });
    expect(active.details).toMatchObject([{ issue: 'INSUFFICIENT_BALANCE' }]);
  });
});

describe('a malformed item', () => {
  it.each([
    [() => parseAccount({ ...accountItem(anAccount()), status: 'OPEN' }), 'status'],
    [() => parseAccount({ ...accountItem(anAccount()), pixTransactionLimit: 1.5 }), 'pixTransactionLimit'],
    [
      () =>
        parseShard({
          PK: 'p',
          SK: 's',
          accountId: 'a',
          accountStatus: 'ACTIVE',
          available: '5',
          reserved: 0,
          updatedAt: at,
        }),
      'available',
    ],
    [() => parseLedgerEntry({ PK: 'p', SK: 's', entity: 'LEDGER_ENTRY' }), 'kind'],
  ])('is an error that names the attribute (%#)', (parse, attribute) => {
    expect(parse).toThrow(CorruptItem);
    expect(parse).toThrow(attribute);
  });
});
