import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setAccountStatus } from '#infra/operator/accounts/accounts.ts';
import { webhookPaths } from '#infra/operator/bank-webhooks.ts';
import { findAccountByKey } from '#shared/accounts/store.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { readConnection } from '#shared/bank/connection.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { account, companyOne } from '../support/bank-world.ts';
import { each } from '../support/each.ts';
import { email, keyWorld } from '../support/key-world.ts';
import { at, testOperator } from './terminal.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  for (const [name, text] of Object.entries({ secret: 'a-client-secret', certificate, key: privateKey }))
    writeFileSync(join(folder, name), text);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const accountNumbers = ['1111111', '2222222', '3333333'] as const;

async function companyOfThree() {
  const operator = testOperator();
  const { companyId = '' } = await operator.json('company:create', '--name', 'Loja');
  const holder = ['--name', 'Loja', '--document', '11.222.333/0001-81', '--email', 'a@example.com'];
  const ids: string[] = [];
  for (const _ of accountNumbers) {
    const { id = '' } = await operator.json(
      ...['account:create', '--company', companyId, ...holder, '--phone', '+5511900000101', '--ispb', '09089356'],
    );
    ids.push(id);
  }
  const file = (name: string) => join(folder, name);
  const connect = (place: number, clientId = 'id') =>
    operator.json(
      ...['bank:connect', '--company', companyId, '--account', ids[place] ?? '', '--environment', 'local'],
      ...['--api-url', 'https://bank.example.com', '--token-url', 'https://bank.example.com/oauth/token'],
      ...['--client-id', clientId, '--client-secret', file('secret'), '--certificate', file('certificate')],
      ...['--key', file('key'), '--callback-subject', 'CN=bank', '--chave', `caixa${place}@empresa.example`],
      ...['--agencia', '0001', '--conta', accountNumbers[place] ?? '', '--tipo-conta', 'PAGAMENTO'],
    );
  const accountAt = (place: number) => ({
    ...{
      chave: `caixa${place}@empresa.example`,
      agencia: '0001',
      conta: accountNumbers[place],
      tipoConta: 'PAGAMENTO',
    },
  });
  return { operator, companyId, ids, connect, accountAt };
}

test('accounts that are connected one after the other, and again, are all connected', async () => {
  const { operator, companyId, ids, connect, accountAt } = await companyOfThree();
  const known = new Set<number>();
  for (const place of each([0, 1, 2, 1, 0])) {
    await connect(place);
    known.add(place);
    const { accounts } = (await onlyConnection(operator.store, companyId))!;
    expect(accounts).toEqual(Object.fromEntries([...known].map((one) => [ids[one], accountAt(one)])));
  }
});

test('a connection counts as left once the last of its accounts is served by another one', async () => {
  const { operator, companyId, connect } = await companyOfThree();
  for (const place of [0, 1, 2]) await connect(place);
  const first = (await onlyConnection(operator.store, companyId))!;
  const left: (string | undefined)[] = [];
  for (const place of [1, 0, 2]) {
    await connect(place, 'other');
    left.push((await readConnection(operator.store, companyId, first.id))?.leftAt);
  }
  expect(left).toEqual([undefined, undefined, at]);
  await connect(1);
  expect((await readConnection(operator.store, companyId, first.id))?.leftAt).toBeUndefined();
});

test('a connection has a webhook path at the bank for the key of each of its accounts', async () => {
  const { operator, companyId, connect } = await companyOfThree();
  const expectedPaths = ['/v2/webhookrec', '/v2/webhookcobr'];
  for (const place of [0, 1, 2]) {
    await connect(place);
    expectedPaths.push(`/v2/webhook/caixa${place}%40empresa.example`);
    const connection = (await onlyConnection(operator.store, companyId))!;
    expect(webhookPaths(connection).toSorted()).toEqual(expectedPaths.toSorted());
  }
});

test('bank:connect keeps the other attributes of a connection when it adds an account', async () => {
  const { operator, companyId, connect } = await companyOfThree();
  const { callbackSecret } = await connect(0);
  expect(callbackSecret).toMatch(/^[0-9a-f]{32}$/u);
  const before = (await onlyConnection(operator.store, companyId))!;
  const kept = {
    createdAt: '2026-01-01T00:00:00.000Z',
    capabilities: { recurrences: false } as const,
    unknownKeys: 3,
    unknownKeysSince: '2026-01-15T11:30:00.000Z',
    callback: before.callback,
  } satisfies Partial<BankConnection>;
  await operator.store.write(connectedItems({ ...before, ...kept }), 'kept');
  expect(await connect(1)).not.toHaveProperty('callbackSecret');
  expect(await onlyConnection(operator.store, companyId)).toMatchObject(kept);
});

test('an account keeps its keys while it is inactive, and has them when it is active again', async () => {
  const world = keyWorld();
  await world.openCompany(companyOne);
  await world.openAccount(0);
  const addresses = ['one@example.com', 'two@example.com'].map((address) => email(address));
  for (const key of each(addresses)) {
    const { validationId, code } = await world.begun(key);
    expect((await world.confirm(validationId, code)).status).toBe(200);
  }
  const owners = async () =>
    Promise.all(addresses.map(async (key) => (await findAccountByKey(world.store, companyOne, key))?.id));
  const deps = { store: world.store, ids: world.ids, now: () => world.clock.now };
  for (const status of each(['INACTIVE', 'ACTIVE', 'INACTIVE'] as const)) {
    await setAccountStatus(deps, { companyId: companyOne, accountId: account, status });
    expect([status, ...(await owners())]).toEqual([status, account, account]);
  }
  await setAccountStatus(deps, { companyId: companyOne, accountId: account, status: 'CLOSED' });
  expect(await owners()).toEqual([undefined, undefined]);
});
