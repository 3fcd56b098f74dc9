import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectedCapabilities } from '#shared/bank/connected-capabilities.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';
import type { TestOperator } from './terminal.ts';
import { testOperator } from './terminal.ts';

let folder: string;
let operator: TestOperator;
let companyId: string;
let args: readonly string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bank-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  operator = testOperator();
  ({ companyId = '' } = await operator.json('company:create', '--name', 'Loja'));
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const { id: accountId = '' } = await operator.json(
    ...['account:create', '--company', companyId, ...holder, '--phone', '+5511900000101', '--ispb', '09089356'],
  );
  args = [
    ...['bank:connect', '--company', companyId, '--account', accountId, '--environment', 'local'],
    ...['--api-url', 'https://127.0.0.1:1', '--token-url', 'https://127.0.0.1:1/oauth/token', '--client-id', 'id'],
    ...['--client-secret', file('secret', 'a-client-secret'), '--certificate', file('certificate', certificate)],
    ...['--key', file('key', privateKey), '--callback-subject', 'CN=bank', '--chave', 'caixa@empresa.example'],
    ...['--agencia', '0001', '--conta', '1234567', '--tipo-conta', 'PAGAMENTO'],
  ];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});
const connection = async () => {
  const found = await onlyConnection(operator.store, companyId);
  if (found === undefined) throw new Error('The company has no connection.');
  return found;
};

test('a bank takes and lists claims unless the command excludes them', async () => {
  await operator.json(...args);
  expect(await connection()).not.toHaveProperty('capabilities');
  expect(connectedCapabilities(await connection()).claims).toBe(true);
});

test('--without-claims excludes claims, and a later bank:connect without it includes them again', async () => {
  await operator.json(...args, '--without-claims');
  const { id } = await connection();
  expect(connectedCapabilities(await connection()).claims).toBe(false);
  await operator.json(...args, '--without-claims');
  expect((await connection()).capabilities).toEqual({ claims: false });
  await operator.json(...args);
  expect(await connection()).not.toHaveProperty('capabilities');
  expect(connectedCapabilities(await connection()).claims).toBe(true);
  await operator.json(...args, '--without-claims');
  expect(await connection()).toMatchObject({ id, capabilities: { claims: false } });
});

test.each([[['--without-claims']], [[]]])(
  'bank:connect with %j keeps what else the contract excludes',
  async (more) => {
    await operator.json(...args);
    const before = {
      ...(await connection()),
      capabilities: { balance: false, payouts: { ted: false }, claims: false },
    };
    await operator.store.write(connectedItems(before), 'as the contract is');
    await operator.json(...args, ...more);
    const { balance, payouts, claims } = connectedCapabilities(await connection());
    expect([balance, payouts.ted, claims]).toEqual([false, false, more.length === 0]);
  },
);

test('--without-claims takes no value', async () => {
  expect(await operator.run(...args, '--without-claims', 'false')).toMatchObject({ code: 2 });
});
