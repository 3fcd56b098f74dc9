import { describe, expect, it } from 'vitest';
import { readAccount } from '../../shared/persistence/accounts.ts';
import { keys, prefixes } from '../../shared/persistence/keys.ts';
import { parseLedgerEntry, readBalance } from '../../shared/persistence/ledger.ts';
import { randomIds } from '../../shared/runtime/ids.ts';
import type { TestPartner } from './terminal.ts';
import { AT, testPartner } from './terminal.ts';

const HOLDER = ['--name', 'José Antônio', '--email', 'jose@example.com', '--phone', '+5511900000102'];
const CPF = ['--document', '529.982.247-25'];

async function withCompany(where: 'local' | 'aws' = 'local') {
  const partner = testPartner(where);
  const { companyId = '' } = await partner.json('company:create', '--name', 'A');
  const create = (...more: readonly string[]) =>
    ['account:create', '--company', companyId, ...HOLDER, ...more] as const;
  return { ...partner, companyId, create };
}

async function entriesOf({ store }: TestPartner, companyId: string, accountId: string) {
  const { PK } = keys.account(companyId, accountId);
  return (await store.query({ partition: PK, prefix: prefixes.ledgerEntry })).items.map(parseLedgerEntry);
}

describe('account:create', () => {
  it('opens an account with what it is told and the rest by default', async () => {
    const { json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...CPF));
    expect(await readAccount(store, companyId, id)).toMatchObject({
      id,
      companyId,
      status: 'ACTIVE',
      holderType: 'INDIVIDUAL',
      fullName: 'José Antônio',
      email: 'jose@example.com',
      phone: '+5511900000102',
      document: { type: 'CPF', number: '52998224725' },
      bankAccountData: {
        ispb: '00000000',
        bankNumber: '001',
        branchNumber: '0001',
        accountType: 'PAYMENT_ACCOUNT',
        createdAt: AT,
      },
      createdAt: AT,
    });
    expect(await readBalance(store, companyId, id)).toMatchObject({ available: 0, reserved: 0 });
  });

  it('takes all that can be told', async () => {
    const { json, create, store, companyId } = await withCompany('aws');
    const accountId = randomIds.uuid();
    const more = [
      '--status',
      'INACTIVE',
      '--holder-type',
      'ORGANIZATION',
      '--branch',
      '12',
      '--account-number',
      '34567',
    ];
    const rest = ['--account-type', 'SAVINGS_ACCOUNT', '--pix-limit', '20.50', '--opening-balance', '1000000'];
    const id = ['--account-id', accountId, '--ispb', '60701190', '--document', '12.ABC.345/01DE-35'];
    await json(...create(...id, ...more, ...rest));
    expect(await readAccount(store, companyId, accountId)).toMatchObject({
      status: 'INACTIVE',
      holderType: 'ORGANIZATION',
      document: { type: 'CNPJ', number: '12ABC34501DE35' },
      bankAccountData: {
        ispb: '60701190',
        bankNumber: '341',
        branchNumber: '12',
        accountNumber: '34567',
        accountType: 'SAVINGS_ACCOUNT',
      },
      pixTransactionLimit: 2050,
    });
    expect(await readBalance(store, companyId, accountId)).toMatchObject({ available: 100_000_000 });
  });

  it('takes foreign documents by their type, and then knows no type of holder', async () => {
    const { json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create('--document', 'XDA123456', '--document-type', 'PASSPORT'));
    const account = await readAccount(store, companyId, id);
    expect(account).toMatchObject({ holderType: null, document: { type: 'PASSPORT', number: 'XDA123456' } });
  });

  it('with an id of its own opens one account, however often it is run', async () => {
    const partner = await withCompany();
    const { run, create, companyId, store } = partner;
    const accountId = randomIds.uuid();
    const command = create(...CPF, '--account-id', accountId, '--opening-balance', '10');
    expect((await run(...command)).code).toBe(0);
    expect(await run(...command)).toMatchObject({ code: 1 });
    expect(await readBalance(store, companyId, accountId)).toMatchObject({ available: 1000 });
    expect(await entriesOf(partner, companyId, accountId)).toHaveLength(1);
  });

  it('refuses an unknown company', async () => {
    const { run } = await withCompany();
    const said = await run('account:create', '--company', randomIds.uuid(), ...HOLDER, ...CPF);
    expect(said).toMatchObject({ code: 1, err: 'Company not found.' });
  });

  it.each([
    ['a CPF with wrong check digits', ['--document', '529.982.247-26']],
    ['a document of unknown type', ['--document', 'XDA123456']],
    ['an unknown type of document', ['--document', '1', '--document-type', 'LICENCE']],
    ['no document', []],
    ['a negative opening balance', [...CPF, '--opening-balance', '-1']],
    ['an opening balance in thousandths', [...CPF, '--opening-balance', '1.005']],
    ['an unknown status', [...CPF, '--status', 'OPEN']],
    ['an id that is no UUID', [...CPF, '--account-id', 'a#b']],
    ['an ISPB of 7 digits', [...CPF, '--ispb', '1234567']],
    ['an e-mail address twice', [...CPF, '--email', 'other@example.com']],
  ])('refuses %s as wrong usage', async (_what, more) => {
    const { run, create } = await withCompany();
    const said = await run(...create(...more));
    expect(said).toMatchObject({ code: 2, out: '' });
  });

  it('needs the ISPB on AWS, where no default can be right', async () => {
    const { run, create } = await withCompany('aws');
    const { code, err } = await run(...create(...CPF));
    expect(code).toBe(2);
    expect(err).toContain('--ispb is required');
  });
});

describe('account:status', () => {
  it('moves the account and the copy beside its money; the same status again changes nothing', async () => {
    const { json, run, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...CPF));
    const to = (status: string) => run('account:status', '--company', companyId, '--account', id, '--status', status);
    expect(await to('INACTIVE')).toMatchObject({ code: 0 });
    expect(await to('INACTIVE')).toMatchObject({ code: 0 });
    expect(await readBalance(store, companyId, id)).toMatchObject({ accountStatus: 'INACTIVE' });
    expect(await to('CLOSED')).toMatchObject({ code: 0 });
    expect(await to('ACTIVE')).toMatchObject({ code: 1 });
    expect(await readAccount(store, companyId, id)).toMatchObject({ status: 'CLOSED' });
  });

  it('refuses an unknown account', async () => {
    const { run, companyId } = await withCompany();
    const said = await run(
      'account:status',
      '--company',
      companyId,
      '--account',
      randomIds.uuid(),
      '--status',
      'CLOSED',
    );
    expect(said).toMatchObject({ code: 1, err: 'Account not found.' });
  });
});

describe('account:deposit', () => {
  it('books the money with its entry, and once a key', async () => {
    const partner = await withCompany();
    const { json, run, create, companyId } = partner;
    const { id = '' } = await json(...create(...CPF, '--opening-balance', '1'));
    const book = ['account:deposit', '--company', companyId, '--account', id, '--amount'];
    const first = await json(...book, '10.50', '--key', 'k-1');
    expect(first).toMatchObject({ key: 'k-1', available: '11.50', reserved: '0.00' });
    expect(await json(...book, '10.5', '--key', 'k-1')).toEqual(first);
    expect(await run(...book, '11', '--key', 'k-1')).toMatchObject({ code: 1 });
    expect(await json(...book, '1')).toMatchObject({ available: '12.50' });
    const kinds = (await entriesOf(partner, companyId, id)).map(({ kind, available }) => `${kind} ${available}`);
    expect(kinds.sort()).toEqual(['DEPOSIT 100', 'DEPOSIT 1050', 'OPENING 100']);
  });

  it('refuses an unknown account, and an amount of nothing', async () => {
    const { run, companyId } = await withCompany();
    const book = ['account:deposit', '--company', companyId, '--account', randomIds.uuid(), '--amount'];
    expect(await run(...book, '1')).toMatchObject({ code: 1, err: 'Account not found.' });
    expect(await run(...book, '0')).toMatchObject({ code: 2 });
  });
});

describe('account:list', () => {
  it("shows a company's accounts and no others", async () => {
    const { json, create, companyId } = await withCompany();
    const { id } = await json(...create(...CPF));
    expect(await json('account:list', '--company', companyId)).toMatchObject([{ id, fullName: 'José Antônio' }]);
    expect(await json('account:list', '--company', randomIds.uuid())).toEqual([]);
  });
});
