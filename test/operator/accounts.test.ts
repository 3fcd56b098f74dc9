import { describe, expect, it } from 'vitest';
import { maxBalancePart } from '#shared/platform/ledger/balance.ts';
import { centavos } from '#shared/core/money.ts';
import { readAccount } from '#shared/accounts/store.ts';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import { ledgerWrites, parseLedgerEntry } from '#shared/platform/ledger/ledger.ts';
import { readBalance } from '#shared/platform/ledger/shards.ts';
import { randomIds } from '#shared/platform/ids.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';

const holder = ['--name', 'José Antônio', '--email', 'jose@example.com', '--phone', '+5511900000102'];
const cpf = ['--document', '529.982.247-25'];

async function withCompany(where: 'local' | 'aws' = 'local') {
  const operator = testOperator(where);
  const { companyId = '' } = await operator.json('company:create', '--name', 'A');
  const create = (...more: readonly string[]) =>
    ['account:create', '--company', companyId, ...holder, ...more] as const;
  return { ...operator, companyId, create };
}

async function entriesOf({ store }: TestOperator, companyId: string, accountId: string) {
  const { PK } = keys.account(companyId, accountId);
  return (await store.query({ partition: PK, prefix: prefixes.ledgerEntry })).items.map(parseLedgerEntry);
}

describe('account:create', () => {
  it('opens an account with the given options, and with defaults for the others', async () => {
    const { json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf));
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
        createdAt: at,
      },
      createdAt: at,
    });
    expect(await readBalance(store, companyId, id)).toMatchObject({ available: 0, reserved: 0 });
  });

  it('opens an account with the values of all options when all are given', async () => {
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

  it('takes a foreign document by its type, and then leaves holderType null', async () => {
    const { json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create('--document', 'XDA123456', '--document-type', 'PASSPORT'));
    const account = await readAccount(store, companyId, id);
    expect(account).toMatchObject({ holderType: null, document: { type: 'PASSPORT', number: 'XDA123456' } });
  });

  it('with an id of its own opens one account, however often it is run', async () => {
    const operator = await withCompany();
    const { run, create, companyId, store } = operator;
    const accountId = randomIds.uuid();
    const command = create(...cpf, '--account-id', accountId, '--opening-balance', '10');
    expect((await run(...command)).code).toBe(0);
    expect(await run(...command)).toMatchObject({ code: 1 });
    expect(await readBalance(store, companyId, accountId)).toMatchObject({ available: 1000 });
    expect(await entriesOf(operator, companyId, accountId)).toHaveLength(1);
  });

  it('refuses an unknown company', async () => {
    const { run } = await withCompany();
    const result = await run('account:create', '--company', randomIds.uuid(), ...holder, ...cpf);
    expect(result).toMatchObject({ code: 1, err: 'Company not found.' });
  });

  it.each([
    ['a CPF with wrong check digits', ['--document', '529.982.247-26']],
    ['a document of unknown type', ['--document', 'XDA123456']],
    ['an unknown type of document', ['--document', '1', '--document-type', 'LICENCE']],
    ['no document', []],
    ['a negative opening balance', [...cpf, '--opening-balance', '-1']],
    ['an opening balance in thousandths', [...cpf, '--opening-balance', '1.005']],
    ['an unknown status', [...cpf, '--status', 'OPEN']],
    ['an id that is no UUID', [...cpf, '--account-id', 'a#b']],
    ['an ISPB of 7 digits', [...cpf, '--ispb', '1234567']],
    ['an e-mail address twice', [...cpf, '--email', 'other@example.com']],
  ])('refuses %s as a usage error', async (_what, more) => {
    const { run, create } = await withCompany();
    const result = await run(...create(...more));
    expect(result).toMatchObject({ code: 2, out: '' });
  });

  it('needs the ISPB on AWS, where no default can be right', async () => {
    const { run, create } = await withCompany('aws');
    const { code, err } = await run(...create(...cpf));
    expect(code).toBe(2);
    expect(err).toContain('--ispb is required');
  });
});

describe('account:status', () => {
  it('sets the status of the account and of the copy in its balance, and accepts the same status again', async () => {
    const { json, run, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf));
    const to = (status: string) => run('account:status', '--company', companyId, '--account', id, '--status', status);
    expect(await to('INACTIVE')).toMatchObject({ code: 0 });
    expect(await to('INACTIVE')).toMatchObject({ code: 0 });
    expect(await readBalance(store, companyId, id)).toMatchObject({ accountStatus: 'INACTIVE' });
    expect(await to('CLOSED')).toMatchObject({ code: 0 });
    expect(await to('ACTIVE')).toMatchObject({ code: 1 });
    expect(await readAccount(store, companyId, id)).toMatchObject({ status: 'CLOSED' });
  });

  it('closes an account when it is empty, and otherwise prints its balance', async () => {
    const { json, run, create, companyId, store } = await withCompany();
    const { id = '' } = await json(...create(...cpf, '--opening-balance', '10'));
    const close = () => run('account:status', '--company', companyId, '--account', id, '--status', 'CLOSED');
    const move = async (kind: 'PAYOUT_RESERVED' | 'PAYOUT_PAID', at: string, available: number, reserved: number) => {
      const amounts = { available: centavos(available), reserved: centavos(reserved) };
      const entry = { accountId: id, kind, at, entryId: randomIds.uuid(), ...amounts };
      expect(await store.write(ledgerWrites(companyId, entry), randomIds.uuid())).toEqual({ ok: true });
    };
    expect((await close()).err).toContain('BRL 10.00 available, BRL 0.00 reserved, BRL 0.00 blocked');
    await move('PAYOUT_RESERVED', '2026-03-11T12:00:00.000Z', -1000, 1000);
    expect((await close()).err).toContain('BRL 0.00 available, BRL 10.00 reserved, BRL 0.00 blocked');
    expect(await readAccount(store, companyId, id)).toMatchObject({ status: 'ACTIVE' });
    expect(await readBalance(store, companyId, id)).toMatchObject({ accountStatus: 'ACTIVE' });
    await move('PAYOUT_PAID', '2026-03-12T12:00:00.000Z', 0, -1000);
    const { PK } = keys.balance(companyId, id);
    const [balance] = await store.read([keys.balance(companyId, id)]);
    await store.writeOne({ put: { ...balance!, PK, SK: 'BALANCE', blocked: 700 } });
    expect((await close()).err).toContain('BRL 0.00 reserved, BRL 7.00 blocked');
    await store.writeOne({ put: { ...balance!, PK, SK: 'BALANCE', blocked: 0 } });
    expect(await close()).toMatchObject({ code: 0 });
    const closed = await run(...create(...cpf, '--status', 'CLOSED', '--opening-balance', '1'));
    expect(closed).toMatchObject({ code: 1, err: expect.stringContaining('not empty') as string });
  });

  it('refuses an unknown account', async () => {
    const { run, companyId } = await withCompany();
    const result = await run(
      'account:status',
      '--company',
      companyId,
      '--account',
      randomIds.uuid(),
      '--status',
      'CLOSED',
    );
    expect(result).toMatchObject({ code: 1, err: 'Account not found.' });
  });
});

describe('account:shards', () => {
  const of = (companyId: string, id: string) => ['--company', companyId, '--account', id] as const;

  it('gives new shards equal shares of the first one, and keeps those that exist, also when fewer are to be used', async () => {
    const { json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf, '--opening-balance', '10'));
    const shardsOf = async () => {
      const items = await store.read([0, 1, 2, 3].map((shard) => keys.balance(companyId, id, shard)));
      return items.map((item) => item && [item['available'], item['accountStatus']]);
    };
    const set = (shards: string) => json('account:shards', ...of(companyId, id), '--shards', shards);
    expect(await set('1')).toMatchObject({ id, shards: 1 });
    expect(await shardsOf()).toEqual([[1000, 'ACTIVE'], undefined, undefined, undefined]);
    for (const wanted of ['3', '3', '2']) {
      expect(await set(wanted)).toMatchObject({ id, shards: Number(wanted) });
      expect(await shardsOf()).toEqual([[334, 'ACTIVE'], [333, 'ACTIVE'], [333, 'ACTIVE'], undefined]);
    }
    expect(await set('4')).toMatchObject({ shards: 4 });
    expect(await shardsOf()).toEqual([
      [167, 'ACTIVE'],
      [333, 'ACTIVE'],
      [333, 'ACTIVE'],
      [167, 'ACTIVE'],
    ]);
    expect(await readBalance(store, companyId, id)).toMatchObject({ available: 1000, reserved: 0 });
  });

  it('changes the status in every shard, and closes the account only when all are empty', async () => {
    const { run, json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf));
    await json('account:shards', ...of(companyId, id), '--shards', '3');
    const to = (status: string) => run('account:status', ...of(companyId, id), '--status', status);
    const statuses = async () =>
      (await store.read([0, 1, 2].map((shard) => keys.balance(companyId, id, shard)))).map(
        (item) => item?.['accountStatus'],
      );
    for (const status of ['INACTIVE', 'ACTIVE']) {
      expect(await to(status)).toMatchObject({ code: 0 });
      expect(await statuses()).toEqual([status, status, status]);
    }
    const amounts = { available: centavos(1000), reserved: centavos(0) };
    const credit = { accountId: id, kind: 'PAY_IN', at: '2026-03-11T12:00:00.000Z', ...amounts, shard: 2 } as const;
    expect(await store.write(ledgerWrites(companyId, { ...credit, entryId: 'e' }), 't')).toEqual({ ok: true });
    expect((await to('CLOSED')).err).toContain('BRL 10.00 available, BRL 0.00 reserved, BRL 0.00 blocked');
    expect(await statuses()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    const paid = { ...credit, kind: 'REFUND', available: centavos(-1000), at: '2026-03-12T12:00:00.000Z' } as const;
    expect(await store.write(ledgerWrites(companyId, { ...paid, entryId: 'f' }), 'u')).toEqual({ ok: true });
    expect(await to('CLOSED')).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
    const more = await run('account:shards', ...of(companyId, id), '--shards', '4');
    expect(more).toMatchObject({ code: 1, err: expect.stringContaining('The account is CLOSED') });
  });

  it('finishes a change of the status that ended between two shards', async () => {
    const { run, json, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf));
    await json('account:shards', ...of(companyId, id), '--shards', '3');
    const second = { update: keys.balance(companyId, id, 1), set: { accountStatus: 'INACTIVE' } };
    await store.writeOne({ ...second, when: { is: 'present' } });
    expect(await run('account:status', ...of(companyId, id), '--status', 'INACTIVE')).toMatchObject({ code: 0 });
    const items = await store.read([0, 1, 2].map((shard) => keys.balance(companyId, id, shard)));
    expect(items.map((item) => item?.['accountStatus'])).toEqual(['INACTIVE', 'INACTIVE', 'INACTIVE']);
  });

  it('refuses an unknown account', async () => {
    const { run, companyId } = await withCompany();
    const result = await run('account:shards', ...of(companyId, randomIds.uuid()), '--shards', '2');
    expect(result).toMatchObject({ code: 1, err: 'Account not found.' });
  });
});

describe('account:limit', () => {
  it('sets the most payouts of a minute, and removes the limit with 0', async () => {
    const { json, run, create, store, companyId } = await withCompany();
    const { id = '' } = await json(...create(...cpf));
    const of = ['--company', companyId, '--account', id];
    expect(await json('account:limit', ...of, '--payouts-a-minute', '600')).toMatchObject({ id, payoutsAMinute: 600 });
    expect(await readAccount(store, companyId, id)).toMatchObject({ payoutsAMinute: 600 });
    expect(await json('account:limit', ...of, '--payouts-a-minute', '0')).not.toHaveProperty('payoutsAMinute');
    expect(await run('account:limit', ...of, '--payouts-a-minute', '0')).toMatchObject({ err: 'Limit removed.' });
    expect(await readAccount(store, companyId, id)).not.toHaveProperty('payoutsAMinute');
    const unknown = ['--company', companyId, '--account', randomIds.uuid(), '--payouts-a-minute', '1'];
    expect(await run('account:limit', ...unknown)).toMatchObject({ code: 1, err: 'Account not found.' });
  });
});

describe('account:deposit', () => {
  it('books the money and its entry once per key', async () => {
    const operator = await withCompany();
    const { json, run, create, companyId } = operator;
    const { id = '' } = await json(...create(...cpf, '--opening-balance', '1'));
    const book = ['account:deposit', '--company', companyId, '--account', id, '--amount'];
    const first = await json(...book, '10.50', '--key', 'k-1');
    expect(first).toMatchObject({ key: 'k-1', available: '11.50', reserved: '0.00' });
    expect(await json(...book, '10.5', '--key', 'k-1')).toEqual(first);
    expect(await run(...book, '11', '--key', 'k-1')).toMatchObject({ code: 1 });
    const other = await json(...create(...cpf));
    const elsewhere = ['account:deposit', '--company', companyId, '--account', other['id'] ?? '', '--amount', '10.50'];
    expect(await run(...elsewhere, '--key', 'k-1')).toMatchObject({ code: 1 });
    expect(await json(...elsewhere, '--key', 'k-2')).toMatchObject({ available: '10.50' });
    expect(await json(...book, '1')).toMatchObject({ available: '12.50' });
    const kinds = (await entriesOf(operator, companyId, id)).map(({ kind, available }) => `${kind} ${available}`);
    expect(kinds.sort()).toEqual(['DEPOSIT 100', 'DEPOSIT 1050', 'OPENING 100']);
  });

  it('refuses, in one line, an amount that the account cannot hold, and books no entry', async () => {
    const operator = await withCompany();
    const { json, run, create, companyId, store } = operator;
    const { id = '' } = await json(...create(...cpf));
    const full = { accountId: id, kind: 'DEPOSIT', available: maxBalancePart, reserved: centavos(0) } as const;
    await store.write(
      ledgerWrites(companyId, { ...full, at: '2026-03-10T12:00:00.000Z', entryId: randomIds.uuid() }),
      randomIds.uuid(),
    );
    const result = await run('account:deposit', '--company', companyId, '--account', id, '--amount', '9999999999.99');
    expect(result).toMatchObject({
      code: 1,
      err: 'An account holds at most BRL 45000000000000.00, and as much promised.',
    });
    expect(await readBalance(store, companyId, id)).toMatchObject({ available: maxBalancePart });
    expect(await entriesOf(operator, companyId, id)).toHaveLength(1);
  });

  it('refuses an unknown account, and an amount of zero', async () => {
    const { run, companyId } = await withCompany();
    const book = ['account:deposit', '--company', companyId, '--account', randomIds.uuid(), '--amount'];
    expect(await run(...book, '1')).toMatchObject({ code: 1, err: 'Account not found.' });
    expect(await run(...book, '0')).toMatchObject({ code: 2 });
  });
});

describe('account:list', () => {
  it("shows a company's accounts and no others", async () => {
    const { json, create, companyId } = await withCompany();
    const { id } = await json(...create(...cpf));
    expect(await json('account:list', '--company', companyId)).toMatchObject([{ id, fullName: 'José Antônio' }]);
    expect(await json('account:list', '--company', randomIds.uuid())).toEqual([]);
  });
});
