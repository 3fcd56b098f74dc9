import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../shared/domain/account.ts';
import { centavos } from '../../shared/domain/money.ts';
import {
  accountCreation,
  accountFilters,
  accountItem,
  accountStatusWrites,
  parseAccount,
  readAccount,
} from '../../shared/persistence/accounts.ts';
import { dynamoStore } from '../../shared/persistence/dynamo-store.ts';
import { keys, listPartition, prefixes } from '../../shared/persistence/keys.ts';
import type { LedgerMove } from '../../shared/persistence/ledger.ts';
import {
  ledgerWrites,
  parseBalance,
  parseLedgerEntry,
  readBalance,
  refusedMove,
} from '../../shared/persistence/ledger.ts';
import { memoryStore } from '../../shared/persistence/memory-store.ts';
import type { Store } from '../../shared/persistence/store.ts';
import { CorruptItem } from '../../shared/persistence/store.ts';
import { randomIds } from '../../shared/runtime/ids.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';

const AT = '2026-01-15T12:00:00.000Z';
const LATER = '2026-01-15T12:00:01.000Z';

function anAccount(more: Partial<Account> = {}): Account {
  return {
    id: randomIds.uuid(),
    companyId: randomIds.uuid(),
    status: 'ACTIVE',
    holderType: 'INDIVIDUAL',
    fullName: 'José Antônio Gonçalves',
    email: 'José@Example.com',
    phone: '+5511900000102',
    document: { type: 'CPF', number: '52998224725' },
    bankAccountData: {
      ispb: '00000000',
      bankNumber: '001',
      branchNumber: '0001',
      accountNumber: '123456',
      accountType: 'PAYMENT_ACCOUNT',
      createdAt: AT,
    },
    createdAt: AT,
    ...more,
  };
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

describe.each(stores)('accounts and their money %s', (_where, open) => {
  async function opened(more: Partial<Account> = {}, amount = 10_000) {
    const store = open();
    const account = anAccount(more);
    const opening = { amount: centavos(amount), entryId: randomIds.uuid(), at: AT };
    const outcome = await store.write(accountCreation(account, opening), randomIds.uuid());
    expect(outcome).toEqual({ ok: true });
    const { companyId, id: accountId } = account;
    const move = (available: number, reserved: number, rest: Partial<LedgerMove> = {}) => {
      const deltas = { available: centavos(available), reserved: centavos(reserved) };
      const wanted: LedgerMove = {
        accountId,
        kind: 'DEPOSIT',
        ...deltas,
        at: LATER,
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
      updatedAt: AT,
    });
    expect(await rich.entries()).toMatchObject([{ kind: 'OPENING', available: 10_000, reserved: 0, at: AT }]);
    const poor = await opened({}, 0);
    expect(await poor.balance()).toMatchObject({ available: 0, reserved: 0 });
    expect(await poor.entries()).toEqual([]);
  });

  it('is opened once', async () => {
    const { store, account } = await opened();
    const again = accountCreation(account, { amount: centavos(1), entryId: randomIds.uuid(), at: AT });
    expect((await store.write(again, randomIds.uuid())).ok).toBe(false);
  });

  it.each<[string, [number, number]]>([
    ['what is available', [-10_000, 10_000]],
    ['a credit', [1, 0]],
  ])('moves %s, with an entry that explains it', async (_what, [available, reserved]) => {
    const { move, balance, entries } = await opened();
    const orderId = randomIds.orderId();
    expect(await move(available, reserved, { kind: 'PAYOUT_RESERVED', orderId })).toEqual({ ok: true });
    expect(await balance()).toMatchObject({ available: 10_000 + available, reserved, updatedAt: LATER });
    expect((await entries())[1]).toMatchObject({ kind: 'PAYOUT_RESERVED', orderId, available, reserved, at: LATER });
  });

  it.each<[string, [number, number]]>([
    ['more than is available', [-10_001, 10_001]],
    ['more than is reserved', [0, -1]],
    ['reserved money twice', [5, -5]],
  ])('never moves %s, and then writes no entry', async (_what, [available, reserved]) => {
    const { move, balance, entries } = await opened();
    const outcome = await move(available, reserved);
    expect(outcome).toMatchObject({ ok: false, failed: [{ index: 0, item: { available: 10_000 } }] });
    expect(await balance()).toMatchObject({ available: 10_000, reserved: 0, updatedAt: AT });
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
    const writes = ledgerWrites(companyId, { ...stray, at: AT, entryId: randomIds.uuid() });
    expect(await store.write(writes, randomIds.uuid())).toEqual({ ok: false, failed: [{ index: 0 }] });
  });

  it.each(['INACTIVE', 'CLOSED'] as const)(
    'lets no money out of an %s account that was asked for, but books what comes in or settles',
    async (status) => {
      const { move, balance } = await opened({ status });
      const asked = await move(-1, 1, { kind: 'PAYOUT_RESERVED', requireActive: true });
      expect(asked).toMatchObject({ ok: false, failed: [{ index: 0, item: { accountStatus: status } }] });
      expect((await move(1, 0, { kind: 'PAY_IN' })).ok).toBe(true);
      expect(await balance()).toMatchObject({ available: 10_001 });
    },
  );

  it('changes its status and the copy beside its money at once, and only from the status it had', async () => {
    const { store, companyId, accountId, balance } = await opened();
    const change = accountStatusWrites(companyId, { accountId, from: 'ACTIVE', to: 'INACTIVE', at: LATER });
    expect((await store.write(change, randomIds.uuid())).ok).toBe(true);
    expect(await readAccount(store, companyId, accountId)).toMatchObject({ status: 'INACTIVE' });
    expect(await balance()).toMatchObject({ accountStatus: 'INACTIVE', available: 10_000 });
    const again = await store.write(change, randomIds.uuid());
    expect(again).toMatchObject({ ok: false, failed: [{ index: 0 }, { index: 1 }] });
  });

  it('keeps the sum of the entries equal to the balance when twenty moves meet', async () => {
    const { move, balance, entries } = await opened({}, 10);
    const racing = Array.from({ length: 20 }, async () => (await move(-1, 1)).ok);
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
  ] as const)('is found in the listing by %j: %s', async (search, expected) => {
    const { store, companyId, accountId } = await opened();
    const partition = listPartition(companyId, 'ACCOUNT');
    const { items } = await store.query({ index: 'GSI1', partition, filters: accountFilters(search) });
    expect(items.map((item) => parseAccount(item).id)).toEqual(expected ? [accountId] : []);
  });
});

describe('a ledger move', () => {
  const nothing = centavos(0);
  const move: LedgerMove = {
    accountId: 'a',
    kind: 'DEPOSIT',
    available: nothing,
    reserved: nothing,
    at: AT,
    entryId: 'e',
  };

  it('that changes nothing is a mistake', () => {
    expect(() => ledgerWrites('c', move)).toThrow(RangeError);
  });

  it('that was refused says why', () => {
    const balance = {
      PK: 'p',
      SK: 's',
      accountId: 'a',
      accountStatus: 'CLOSED',
      available: 5,
      reserved: 0,
      updatedAt: AT,
    };
    const take = { ...move, available: centavos(-9) };
    expect(refusedMove(take, undefined)).toMatchObject({ kind: 'missing' });
    expect(refusedMove(take, balance).details).toMatchObject([{ field: 'amount', issue: 'INSUFFICIENT_BALANCE' }]);
    const strict = refusedMove({ ...take, requireActive: true }, balance);
    expect(strict.details).toMatchObject([{ field: 'accountId', issue: 'INVALID_VALUE' }]);
    const active = refusedMove({ ...take, requireActive: true }, { ...balance, accountStatus: 'ACTIVE' });
    expect(active.details).toMatchObject([{ issue: 'INSUFFICIENT_BALANCE' }]);
  });
});

describe('an item that is not what it should be', () => {
  it.each([
    [() => parseAccount({ ...accountItem(anAccount()), status: 'OPEN' }), 'status'],
    [() => parseAccount({ ...accountItem(anAccount()), pixTransactionLimit: 1.5 }), 'pixTransactionLimit'],
    [
      () =>
        parseBalance({
          PK: 'p',
          SK: 's',
          accountId: 'a',
          accountStatus: 'ACTIVE',
          available: '5',
          reserved: 0,
          updatedAt: AT,
        }),
      'available',
    ],
    [() => parseLedgerEntry({ PK: 'p', SK: 's', entity: 'LEDGER_ENTRY' }), 'kind'],
  ])('is an error that names the attribute (%#)', (parse, attribute) => {
    expect(parse).toThrow(CorruptItem);
    expect(parse).toThrow(attribute);
  });
});
