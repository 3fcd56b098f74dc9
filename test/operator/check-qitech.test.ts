import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificate } from '../bank/bank-certificate.ts';
import { accountKey, clientId, ownPem, problem, reply, useQitechBank } from '../bank/qitech-bank.ts';
import { testOperator } from './terminal.ts';

const used = useQitechBank();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'qitech-'));
  for (const [name, text] of Object.entries({ key: ownPem, certificate })) writeFileSync(join(folder, name), text);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function connected() {
  const operator = testOperator('local');
  const { companyId = '' } = await operator.json('company:create', '--name', 'Loja');
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const account = ['--company', companyId, ...holder, '--ispb', '32402502', '--phone', '+5511900000101'];
  const { id = '', accountId = id } = await operator.json('account:create', ...account);
  await operator.json(
    ...['bank:connect', '--dialect', 'QITECH', '--company', companyId, '--account', accountId],
    ...['--environment', 'local', '--api-url', used.connected.connection.apiUrl, '--client-id', clientId],
    ...['--key', join(folder, 'key'), '--authorities', join(folder, 'certificate'), '--account-key', accountKey],
  );
  return { operator, check: ['bank:check', '--company', companyId, '--json'] as const };
}

/** The checks that found a problem, in the output of the command. */
function errorsIn(out: string): readonly object[] {
  const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly error: string | null }[] };
  return checks.filter(({ error }) => error !== null);
}

test('bank:check makes the bank’s own test of the access, and reads each list and the balance', async () => {
  const { operator, check } = await connected();
  used.answers(({ path }) =>
    reply(200, path.includes('?') ? { data: [] } : { account_key: accountKey, balance: 1, blocked_balance: 0 }),
  );
  expect(await operator.run(...check)).toMatchObject({ code: 0 });
  expect(used.asked.map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`)).toEqual([
    `GET /test/${clientId}`,
    `GET /account/${accountKey}/pix_transfers`,
    `GET /account/${accountKey}/teds`,
    `GET /account/${accountKey}`,
  ]);
});

test('bank:check reports each list that the bank refuses, and a balance that it does not show', async () => {
  const { operator, check } = await connected();
  used.answers(({ path }) => (path.includes('/teds') ? problem(403, 'GDF000020') : reply(200, { data: [] })));
  const found = await operator.run(...check);
  expect(found.code).toBe(1);
  expect(errorsIn(found.out)).toMatchObject([
    { checked: `GET /account/${accountKey}/teds` },
    { checked: 'GET /account' },
  ]);
});

test('bank:check reports a client key that the bank does not know, and asks nothing else', async () => {
  const { operator, check } = await connected();
  used.answers(() => problem(404, 'GDF000018'));
  const refused = await operator.run(...check);
  expect(errorsIn(refused.out)).toEqual([
    { result: '✘', checked: 'token', error: 'The bank refused our client key: GDF000018.' },
  ]);
  expect(used.asked).toHaveLength(1);
});
