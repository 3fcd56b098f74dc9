import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBanks } from '#shared/bank/connection.ts';
import { accountKey, clientId, ownPem } from '../bank/qitech-bank.ts';
import { onlyConnection } from '../support/connected-items.ts';
import { testOperator } from './terminal.ts';

const apiUrl = 'https://api-auth.sandbox.qitech.app';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'qitech-'));
  writeFileSync(join(folder, 'key'), ownPem);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function connecting() {
  const operator = testOperator('local');
  const { companyId = '' } = await operator.json('company:create', '--name', 'Loja');
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const account = ['--company', companyId, ...holder, '--ispb', '32402502', '--phone', '+5511900000101'];
  const { id = '', accountId = id } = await operator.json('account:create', ...account);
  const args = [
    ...['bank:connect', '--dialect', 'QITECH', '--company', companyId, '--account', accountId],
    ...['--environment', 'local', '--api-url', apiUrl, '--client-id', clientId],
    ...['--key', join(folder, 'key'), '--account-key', accountKey.toUpperCase()],
  ];
  return { operator, companyId, accountId, args };
}

test('an account is connected to QI Tech by the bank’s name of it, and the key is in no output', async () => {
  const { operator, companyId, accountId, args } = await connecting();
  const { code, out, err } = await operator.run(...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).not.toContain('PRIVATE KEY');
  const connection = await onlyConnection(operator.store, companyId);
  expect(connection).toMatchObject({ dialect: 'QITECH', apiUrl, clientId, accounts: { [accountId]: { accountKey } } });
  expect(connection).not.toHaveProperty('tokenUrl');
  expect(connection?.callback).not.toHaveProperty('subject');
  expect(await operator.json(...args), 'a repetition changes nothing').not.toHaveProperty('callbackSecret');
});

test.each<[string, (args: readonly string[]) => readonly string[], string]>([
  ['without the account at the bank', (args) => args.slice(0, -2), '--account-key is required for QITECH.'],
  ['with another text than a UUID', (args) => [...args.slice(0, -1), '1234567'], '--account-key must be a UUID.'],
  ['with an option of another dialect', (args) => [...args, '--conta', '1234567'], '--conta is no option of QITECH.'],
  ['of Efí with one of its own', (args) => args.with(2, 'EFI'), '--account-key is no option of EFI.'],
  ['of Efí without its token endpoint', (args) => args.with(2, 'EFI').slice(0, -2), '--token-url is required for EFI.'],
])('bank:connect %s is wrong usage, and nothing is connected', async (_what, changed, message) => {
  const { operator, companyId, args } = await connecting();
  const { code, err } = await operator.run(...changed(args));
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(message) as string });
  expect((await readBanks(operator.store, companyId)).connections).toEqual([]);
});

test('a key on another curve is refused by its name', async () => {
  const { operator, args } = await connecting();
  writeFileSync(join(folder, 'key'), 'no key');
  expect(await operator.run(...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining('malformed: key.') as string,
  });
});

test('an account at QI Tech belongs to one company', async () => {
  const { operator, args } = await connecting();
  await operator.json(...args);
  const other = await operator.json('company:create', '--name', 'Outra');
  const holder = ['--name', 'Outra', '--document', '11.444.777/0001-61', '--email', 'b@example.com'];
  const account = ['--company', other['companyId'] ?? '', ...holder, '--ispb', '32402502', '--phone', '+5511900000102'];
  const { id = '', accountId = id } = await operator.json('account:create', ...account);
  const taken = args
    .with(args.indexOf('--company') + 1, other['companyId'] ?? '')
    .with(args.indexOf('--account') + 1, accountId)
    .with(args.indexOf('--client-id') + 1, 'another-client');
  expect(await operator.run(...taken)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The account at the bank belongs to another company.') as string,
  });
});
