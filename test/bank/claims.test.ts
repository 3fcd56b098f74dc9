import { describe, expect, test } from 'vitest';
import type { Claim } from '#shared/bank/claims.ts';
import { claimedByOther, claimPuts, claimsOf, freedClaims, placeAtBank } from '#shared/bank/claims.ts';
import type { BankConnection, ConnectedAccount } from '#shared/bank/connection.ts';
import type { Hash } from '#shared/platform/keyed-hash.ts';
import type { KeyedHash } from '#shared/platform/table/store.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { accountId, companyId } from './scripted-bank.ts';

const account: ConnectedAccount = {
  chave: 'caixa@empresa.example',
  agencia: '0001',
  conta: '1',
  tipoConta: 'PAGAMENTO',
};
const connection: BankConnection = {
  ...{
    id: 'one',
    companyId,
    dialect: 'EFI',
    clientId: 'client',
    secret: 'name',
    createdAt: '2026-01-01T00:00:00.000Z',
  },
  ...{ apiUrl: 'https://pix.example.com', tokenUrl: 'https://auth.example.com/oauth/token' },
  callback: { tokenHash: 'f'.repeat(64), subject: 'CN=bank' },
  accounts: { [accountId]: account },
};
const other = '33333333-3333-4333-8333-333333333333';
const stranger = '99999999-9999-4999-8999-999999999999';
const hash: Hash = (...parts) => parts.join('/') as KeyedHash;
const place: Claim = { kind: 'ACCOUNT', value: 'https://pix.example.com 1 1', accountId };

test('a connection claims its client at its token server, and key and place of each account for that account', () => {
  const second = { ...account, chave: '+5511987654321', conta: '2' };
  expect(claimsOf({ ...connection, accounts: { [accountId]: account, [other]: second } })).toEqual([
    { kind: 'CLIENT', value: 'https://auth.example.com client' },
    { kind: 'CHAVE', value: 'caixa@empresa.example', accountId },
    place,
    { kind: 'CHAVE', value: '+5511987654321', accountId: other },
    { kind: 'ACCOUNT', value: 'https://pix.example.com 1 2', accountId: other },
  ]);
});

test('a key is claimed as the DICT spells it', () => {
  const claimed = claimsOf({
    ...connection,
    accounts: { [accountId]: { ...account, chave: 'CAIXA@Empresa.example' } },
  });
  expect(claimed).toContainEqual({ kind: 'CHAVE', value: 'caixa@empresa.example', accountId });
});

test('a place at a bank is its API, branch and number, without zeros before them and in capitals', () => {
  const placeOf = (more: ConnectedAccount, apiUrl = connection.apiUrl) =>
    placeAtBank({ apiUrl, dialect: 'EFI' }, { ...account, ...more });
  const same = placeOf({});
  expect(placeOf({ agencia: '1', conta: '0001' })).toBe(same);
  expect(placeOf({ conta: '12x' })).toBe(placeOf({ conta: '12X' }));
  expect(placeOf({ agencia: '0', conta: '00' })).toBe('https://pix.example.com 0 0');
  expect(placeOf({ agencia: '0002' })).not.toBe(same);
  expect(placeOf({ conta: '10' })).not.toBe(same);
  expect(placeOf({}, 'https://pix.example.org')).not.toBe(same);
});

describe('a claim', () => {
  const claimed = async () => {
    const store = memoryStore();
    expect(await store.write(claimPuts(hash, companyId, [place]), 'first')).toEqual({ ok: true });
    return store;
  };
  const elsewhere = { ...place, accountId: other };

  test('is taken again for the same account of the same company alone', async () => {
    const store = await claimed();
    expect((await store.write(claimPuts(hash, companyId, [place]), 'same')).ok).toBe(true);
    expect((await store.write(claimPuts(hash, companyId, [elsewhere]), 'account')).ok).toBe(false);
    expect((await store.write(claimPuts(hash, stranger, [place]), 'company')).ok).toBe(false);
  });

  test('is refused to another company, and to another account of the same company', async () => {
    const store = await claimed();
    expect(await claimedByOther(store, hash, companyId, [place])).toBeUndefined();
    expect(await claimedByOther(store, hash, companyId, [elsewhere])).toEqual({ kind: 'ACCOUNT', by: 'ACCOUNT' });
    expect(await claimedByOther(store, hash, stranger, [place])).toEqual({ kind: 'ACCOUNT', by: 'COMPANY' });
    const free = { ...place, value: 'free' };
    expect(await claimedByOther(store, hash, companyId, [free, { ...free, accountId: other }])).toEqual({
      ...{ kind: 'ACCOUNT', by: 'ACCOUNT' },
    });
  });
});

test('a claim that a connection gives up is freed, unless another live connection of its company has it', () => {
  const second = { ...connection, id: 'two', clientId: 'second', accounts: { [other]: { ...account, conta: '2' } } };
  const banks = { connections: [connection, second], serving: new Map<string, string>(), version: 1 };
  const without = { ...second, accounts: {} };
  expect(freedClaims(banks, [])).toEqual([]);
  expect(freedClaims(banks, [without])).toEqual([
    { kind: 'ACCOUNT', value: 'https://pix.example.com 1 2', accountId: other },
  ]);
  expect(freedClaims(banks, [{ ...second, endedAt: connection.createdAt }]).map(({ value }) => value)).toEqual([
    'https://auth.example.com second',
    'https://pix.example.com 1 2',
  ]);
});
