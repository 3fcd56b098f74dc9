import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectionOfCallback, readBanks } from '#shared/bank/connection.ts';
import { connectBank } from '#infra/operator/connecting/connect.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { each } from '../support/each.ts';
import { testOperator } from './terminal.ts';

/** Several clients of banks of one company, and one client of two companies. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connections-'));
  for (const [name, text] of Object.entries({ secret: 'a-client-secret', certificate, key: privateKey }))
    writeFileSync(join(folder, name), text);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function companies() {
  const operator = testOperator();
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const open = async (companyId: string): Promise<string> => {
    const args = ['account:create', '--company', companyId, ...holder, '--phone', '+5511900000101'];
    return (await operator.json(...args, '--ispb', '09089356'))['id'] ?? '';
  };
  const { companyId: one = '' } = await operator.json('company:create', '--name', 'Loja');
  const { companyId: other = '' } = await operator.json('company:create', '--name', 'Outra');
  const accounts = { first: await open(one), second: await open(one), foreign: await open(other) };
  const args = (companyId: string, accountId: string, more: Readonly<Record<string, string>> = {}) => {
    const file = (name: string) => join(folder, name);
    const api = more['api'] ?? 'https://bank.example.com';
    return [
      ...['bank:connect', '--company', companyId, '--account', accountId, '--environment', 'local'],
      ...['--api-url', api, '--token-url', `${api}/oauth/token`, '--client-id', more['client'] ?? 'one'],
      ...['--client-secret', file('secret'), '--certificate', file('certificate'), '--key', file('key')],
      ...['--callback-subject', 'CN=bank', '--chave', more['chave'] ?? 'caixa@empresa.example'],
      ...['--agencia', '0001', '--conta', more['conta'] ?? '1234567', '--tipo-conta', 'PAGAMENTO'],
    ];
  };
  return { operator, one, other, accounts, args };
}

test('another client of an account is another connection, and the former stays with its secret and callbacks', async () => {
  const { operator, one, accounts, args } = await companies();
  const first = await operator.json(...args(one, accounts.first));
  const second = await operator.json(...args(one, accounts.first, { client: 'two' }));
  expect(second['connectionId']).not.toBe(first['connectionId']);
  expect(second['open']).toEqual([]);
  const { serving, connections } = await readBanks(operator.store, one);
  expect([...serving]).toEqual([[accounts.first, second['connectionId']]]);
  expect(connections.map(({ clientId, leftAt }) => [clientId, leftAt !== undefined]).toSorted()).toEqual([
    ['one', true],
    ['two', false],
  ]);
  for (const { connectionId, callbackSecret, secretName } of [first, second]) {
    expect(await connectionOfCallback(operator.store, callbackSecret ?? '')).toMatchObject({ id: connectionId });
    expect(await operator.run('bank:list')).toMatchObject({
      out: expect.stringContaining(connectionId ?? '') as string,
    });
    expect(secretName).toContain(connectionId ?? '-');
  }
  // Which of the two is meant must be said.
  expect(await operator.run('bank:pause', '--company', one)).toMatchObject({ code: 2 });
});

test('two accounts at one client are one connection; the same account again is no new one', async () => {
  const { operator, one, accounts, args } = await companies();
  const first = await operator.json(...args(one, accounts.first));
  const second = await operator.json(...args(one, accounts.second, { chave: 'b@empresa.example', conta: '2' }));
  expect(second).toMatchObject({ connectionId: first['connectionId'] });
  expect(second).not.toHaveProperty('callbackSecret');
  expect((await readBanks(operator.store, one)).connections).toHaveLength(1);
});

test.each([
  ['client', { chave: 'b@empresa.example', conta: '2' }],
  ['PIX key', { client: 'two', chave: 'Caixa@Empresa.example', conta: '2', api: 'https://other.example.com' }],
  ['account at the bank', { client: 'two', chave: 'b@empresa.example' }],
])('a %s of another company is refused before anything is written', async (claimed, more) => {
  const { operator, one, other, accounts, args } = await companies();
  await operator.json(...args(one, accounts.first));
  const refused = await operator.run(...args(other, accounts.foreign, more));
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(new RegExp(`${claimed}.*another company`, 'u'));
  expect((await readBanks(operator.store, other)).connections).toEqual([]);
});

test('an account at a bank is one place, with whichever zeros it is written', async () => {
  const { operator, one, other, accounts, args } = await companies();
  await operator.json(...args(one, accounts.first, { conta: '1234X' }));
  const more = { client: 'two', chave: 'b@empresa.example', conta: '001234X' };
  const taken = await operator.run(...args(other, accounts.foreign, more));
  expect(taken.err).toMatch(/account at the bank.*another company/u);
});

test('a key of one account of the company is not another account’s', async () => {
  const { operator, one, accounts, args } = await companies();
  await operator.json(...args(one, accounts.first));
  const refused = await operator.run(...args(one, accounts.second, { conta: '2' }));
  expect(refused.err).toMatch(/another account of the company/u);
});

test.each([1, 2, 3])('a token of callbacks is rotated %i times with all heard until it is finished', async (times) => {
  const { operator, one, accounts, args } = await companies();
  const { callbackSecret: first = '' } = await operator.json(...args(one, accounts.first));
  const tokens = [first];
  for (let time = 0; time < times; time += 1)
    tokens.push((await operator.json('bank:rotate-callbacks', '--company', one))['callbackSecret'] ?? '');
  for (const token of each(tokens)) expect(await connectionOfCallback(operator.store, token)).toBeDefined();
  await operator.json('bank:rotate-callbacks', '--company', one, '--finish');
  for (const token of each(tokens.slice(0, -1)))
    expect(await connectionOfCallback(operator.store, token)).toBeUndefined();
  expect(await connectionOfCallback(operator.store, tokens.at(-1)!)).toBeDefined();
});

test('a connection that moved has each of its new addresses, and keeps its id, secret and callback token', async () => {
  const { operator, one, accounts, args } = await companies();
  await operator.json(...args(one, accounts.first));
  const [before] = (await readBanks(operator.store, one)).connections;
  const [api, file] = ['https://127.0.0.1:4443', (name: string) => join(folder, name)];
  const local = { ...operator, bankSecrets: () => ({ ...operator.bankSecrets(), allowLocal: true }) };
  const addresses = { apiUrl: api, tokenUrl: `${api}/other/token`, control: `${api}/control` };
  const account = { chave: 'caixa@empresa.example', agencia: '1', conta: '22', tipoConta: 'PAGAMENTO' } as const;
  const files = { clientSecret: file('secret'), certificate: file('certificate'), key: file('key') };
  const wanted = { companyId: one, accountId: accounts.first, environment: 'local', clientId: 'one' };
  await connectBank(local, { ...wanted, ...addresses, ...account, ...files, callbackSubject: 'CN=other' }, before!.id);
  expect((await readBanks(operator.store, one)).connections).toEqual([
    {
      ...before,
      ...addresses,
      control: { url: addresses.control, client: 'one' },
      callback: { ...before!.callback, subject: 'CN=other' },
      accounts: { [accounts.first]: account },
    },
  ]);
});

test('a connection ends in two steps, frees what it claimed, and its callbacks lead nowhere', async () => {
  const { operator, one, other, accounts, args } = await companies();
  const connected = await operator.json(...args(one, accounts.first));
  const disconnect = ['bank:disconnect', '--company', one] as const;
  expect(await operator.json(...disconnect)).toMatchObject({ endedAt: null });
  expect([...(await readBanks(operator.store, one)).serving]).toEqual([]);
  // Other processes may still give it something.
  expect(await operator.json(...disconnect)).toMatchObject({ endedAt: null });
  const key = keys.bankConnection(one, connected['connectionId'] ?? '');
  await operator.store.writeOne({ update: key, set: { leftAt: '2026-01-01T00:00:00.000Z' }, when: { is: 'present' } });
  expect((await operator.json(...disconnect))['endedAt']).not.toBeNull();
  expect(await connectionOfCallback(operator.store, connected['callbackSecret'] ?? '')).toBeUndefined();
  expect(await operator.json(...args(other, accounts.foreign))).toHaveProperty('callbackSecret');
});
