import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localBankSecrets } from '#infra/operator/bank-secrets.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import { connectionOfCallback } from '#shared/bank/connection.ts';
import { connections } from '#shared/bank/connections.ts';
import { knownConnections } from '#shared/bank/known-connections.ts';
import type { Resolve } from '#shared/platform/target-guard.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { certificate, privateKey } from '../bank/bank-certificate.ts';
import { scriptedBank } from '../bank/scripted-bank.ts';
import type { ScriptedBank } from '../bank/scripted-bank.ts';
import { at, testOperator } from './terminal.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';

let folder: string;
let server: ScriptedBank;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bank-'));
  for (const [name, text] of Object.entries({ secret: 'a-client-secret', certificate, key: privateKey }))
    writeFileSync(join(folder, name), text);
  server = await scriptedBank(() => ({ status: 500 }));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function connected(where: 'local' | 'aws' = 'local', apiUrl = server.apiUrl) {
  const operator = testOperator(where);
  const { companyId = '' } = await operator.json('company:create', '--name', 'Loja');
  const holder = [
    '--name',
    'Loja',
    '--document',
    '11.222.333/0001-81',
    '--email',
    'a@example.com',
    '--ispb',
    '09089356',
  ];
  const account = ['--company', companyId, ...holder, '--phone', '+5511900000101'];
  const { id = '', accountId = id } = await operator.json('account:create', ...account);
  const file = (name: string) => join(folder, name);
  const args = [
    ...['bank:connect', '--company', companyId, '--account', accountId, '--environment', 'local'],
    ...['--api-url', apiUrl, '--token-url', `${apiUrl}/oauth/token`, '--client-id', 'id'],
    ...['--client-secret', file('secret'), '--certificate', file('certificate'), '--key', file('key')],
    ...['--authorities', file('certificate'), '--callback-subject', 'CN=bank', '--chave', 'caixa@empresa.example'],
    ...['--agencia', '0001', '--conta', '1234567', '--tipo-conta', 'PAGAMENTO'],
  ];
  return { operator, companyId, accountId, args };
}

test('an account is connected, the secret is in no output, and the callback token leads to the company', async () => {
  const { operator, companyId, accountId, args } = await connected();
  const { out, code } = await operator.run(...args, '--json');
  expect(code).toBe(0);
  expect(out).not.toMatch(/a-client-secret|PRIVATE KEY/u);
  const { callbackSecret } = JSON.parse(out) as { callbackSecret: string };
  expect(await connectionOfCallback(operator.store, callbackSecret)).toMatchObject({ companyId });
  expect(await operator.json(...args)).not.toHaveProperty('callbackSecret');
  expect((await onlyConnection(operator.store, companyId))?.accounts[accountId]?.['chave']).toBe(
    'caixa@empresa.example',
  );
});

test.each([
  ['Caixa@Empresa.Example', 'caixa@empresa.example'],
  ['7F1B0F3E-0000-4000-8000-000000000001', '7f1b0f3e-0000-4000-8000-000000000001'],
  ['+5511987654321', '+5511987654321'],
])('the PIX key %s is stored in the form of the DICT', async (chave, expected) => {
  const { operator, companyId, accountId, args } = await connected();
  await operator.json(...args.with(args.indexOf('--chave') + 1, chave));
  expect((await onlyConnection(operator.store, companyId))?.accounts[accountId]?.['chave']).toBe(expected);
});

test.each(['caixa', '11.222.333/0001-81', '11222333000182', '(11) 98765-4321'])(
  'an account is not connected when its chave is no PIX key: %s',
  async (chave) => {
    const { operator, companyId, args } = await connected();
    expect(await operator.run(...args.with(args.indexOf('--chave') + 1, chave))).toMatchObject({ code: 2 });
    expect(await onlyConnection(operator.store, companyId)).toBeUndefined();
  },
);

test('bank:check reports a key when the bank returns another key, or its stored spelling is wrong', async () => {
  const { operator, companyId, accountId, args } = await connected();
  await operator.json(...args);
  const webhook = (chave: string) => ({ webhookUrl: 'https://callbacks.example/x', chave });
  server.answers(() => ({ status: 200, body: webhook('CAIXA@empresa.example') }));
  const same = await operator.run('bank:check', '--company', companyId);
  expect(same.out).not.toMatch(/another key|DICT/u);
  server.answers(() => ({ status: 200, body: webhook('another@empresa.example') }));
  const connection = (await onlyConnection(operator.store, companyId))!;
  const account = { ...connection.accounts[accountId]!, chave: 'Caixa@Empresa.example' };
  await operator.store.write(connectedItems({ ...connection, accounts: { [accountId]: account } }), 'as it was');
  const { out } = await operator.run('bank:check', '--company', companyId);
  expect(out).toMatch(/the bank returns another key/u);
  expect(out).toMatch(/is not in the format of the DICT/u);
});

test('a bank on this machine is connected in the local environment alone', async () => {
  const { operator, companyId, args } = await connected('aws');
  expect(await operator.run(...args)).toMatchObject({ code: 2 });
  expect(await onlyConnection(operator.store, companyId)).toBeUndefined();
});

test.each([
  ['http://127.0.0.1:1', 'no TLS'],
  ['https://10.0.0.1', 'a private address'],
  ['https://bank.internal', 'an internal host name'],
  ['https://user@bank.example.com.br', 'a password in it'],
  ['https://127.0.0.1.example.com:1?x=1', 'a query'],
  ['https://pix.bank.example/v2', 'a path of the dialect'],
])('a connection to the API %s is refused in every environment, because it has %s', async (apiUrl) => {
  for (const where of ['local', 'aws'] as const) {
    const { operator, companyId, args } = await connected(where, apiUrl);
    expect(await operator.run(...args)).toMatchObject({ code: 2, out: '' });
    expect(await onlyConnection(operator.store, companyId)).toBeUndefined();
  }
});

test('a name that leads to an inner address is connected nowhere but in the local environment', async () => {
  const apiUrl = 'https://pix.bank.example';
  const inner = [{ address: '169.254.169.254', family: 4 }];
  const outer = [{ address: '93.184.215.14', family: 4 }];
  const connect = async (where: 'local' | 'aws', resolve: Resolve) => {
    const { operator, companyId, args } = await connected(where, apiUrl);
    const code = await runCommandLine(args, () => ({ ...operator, resolve }), { out: () => 0, err: () => 0 });
    return { code, isConnected: (await onlyConnection(operator.store, companyId)) !== undefined };
  };
  expect(await connect('aws', () => Promise.resolve(inner))).toEqual({ code: 2, isConnected: false });
  expect(await connect('aws', () => Promise.resolve([...outer, ...inner]))).toEqual({ code: 2, isConnected: false });
  expect(await connect('aws', () => Promise.resolve(outer))).toEqual({ code: 0, isConnected: true });
  expect(await connect('local', () => Promise.resolve(inner))).toEqual({ code: 0, isConnected: true });
});

test('sends that the bank refuses are in bank:list and bank:check, until the first success', async () => {
  const { operator, companyId, args } = await connected();
  await operator.json(...args);
  const { fetch: fetchSecret } = operator.bankSecrets();
  const { store, now } = operator;
  const known = knownConnections(store, false);
  const more = { store, known, now, fetchSecret, allowLocal: true, report: () => undefined };
  const { client } = (await connections(more)(companyId, (await onlyConnection(store, companyId))!.id))!;
  const send = { method: 'PUT', path: '/v3/gn/pix/0123456789abcdef0123456789abcd00', body: {} } as const;
  const refuse = (path: string): void => {
    server.answers((asked) => ({ status: asked.path.startsWith(path) ? 403 : 200, body: {} }));
  };
  const line = `refused: 403, 1 times, first ${at}, last ${at}`;
  refuse('/v3/');
  await client.command(send);
  const checked = await operator.run('bank:check', '--company', companyId);
  expect(checked.code).toBe(1);
  expect(checked.out.replaceAll(/ +/gu, ' ')).toContain(`✘ PUT /v3/gn/pix ${line}`);
  const listed = await operator.run('bank:list');
  expect(listed.out).toContain(`PUT /v3/gn/pix ${line}`);
  expect(listed.out).toMatch(/^state +REFUSED$/mu);
  // What the check asks itself has the answer of now, in one line.
  refuse('/v2/cob?');
  await operator.run('bank:check', '--company', companyId);
  expect((await operator.run('bank:check', '--company', companyId)).out.match(/✘ +GET \/v2\/cob /gu)).toHaveLength(1);
  refuse('none');
  await client.command(send);
  for (const command of [['bank:check', '--company', companyId], ['bank:list']])
    expect((await operator.run(...command)).out).not.toContain('refused: 403');
});

test('a local connection keeps its secret in one file of its owner and in no item, and calls the local bank', async () => {
  const { operator, companyId, args } = await connected();
  const printed: string[] = [];
  const terminal = { out: (text: string) => printed.push(text), err: (text: string) => printed.push(text) };
  const local = { ...operator, bankSecrets: () => localBankSecrets(folder) };
  expect(await runCommandLine(args, () => local, terminal)).toBe(0);
  const file = join(folder, 'bank-secrets.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('a-client-secret');
  server.answers(() => ({ status: 200, body: {} }));
  expect(await runCommandLine(['bank:check', '--company', companyId], () => local, terminal)).toBe(1);
  expect(server.counts.tokens).toBe(1);
  expect(server.asked.length).toBeGreaterThan(5);
  const items: Item[] = [];
  for await (const item of operator.itemsOf({ unitsPerSecond: 1, onPage: () => undefined })) items.push(item);
  expect(items.map(({ entity }) => entity)).toContain('BANK_CONNECTION');
  for (const text of [JSON.stringify(items), ...printed]) expect(text).not.toMatch(/a-client-secret|PRIVATE KEY|MIIB/u);
});

test('bank:check prints a line for each error of scopes, services and callbacks, and for a pause', async () => {
  const { operator, companyId, args } = await connected();
  await operator.json(...args);
  server.answers(({ path }) => ({ status: path.startsWith('/v2/cob?') ? 403 : 200, body: {} }));
  const checked = await operator.run('bank:check', '--company', companyId);
  expect(checked.code).toBe(1);
  for (const line of [/✘ +scopes/u, /✘ +GET \/v2\/cob /u, /webhookrec.* no address is registered/u])
    expect(checked.out).toMatch(line);
  expect(checked.out).not.toMatch(/a-client-secret|PRIVATE KEY|token-\d/u);
  await operator.json('bank:pause', '--company', companyId);
  expect((await operator.run('bank:check', '--company', companyId)).out).toMatch(/an operator paused the connection/u);
  await operator.json('bank:resume', '--company', companyId);
  expect((await onlyConnection(operator.store, companyId))?.paused).toBeUndefined();
  server.close();
  expect((await operator.run('bank:check', '--company', companyId)).out).toMatch(/ECONN/u);
});

test('bank:webhooks registers the callback address once per key and list, with the right token only', async () => {
  const { operator, companyId, args } = await connected();
  const { callbackSecret = '' } = await operator.json(...args);
  const token = join(folder, 'token');
  const register = () =>
    operator.run('bank:webhooks', '--company', companyId, '--url', 'https://calls.example.com.br/', '--token', token);
  writeFileSync(token, 'another one');
  expect(await register()).toMatchObject({ code: 2 });
  expect(server.asked).toEqual([]);
  writeFileSync(token, callbackSecret);
  server.answers(() => ({ status: 200, body: {} }));
  expect(await register()).toMatchObject({ code: 0 });
  const webhookUrl = `https://calls.example.com.br/${callbackSecret}`;
  expect(server.asked.map(({ method, path, body }) => [method, path, body])).toEqual(
    ['webhook/caixa%40empresa.example', 'webhookrec', 'webhookcobr'].map((path) => [
      'PUT',
      `/v2/${path}`,
      { webhookUrl },
    ]),
  );
  const violacoes = [{ razao: `A URL ${webhookUrl} não responde.`, propriedade: 'webhook.webhookUrl' }];
  server.answers(() => ({ status: 400, body: { type: 'x/WebhookOperacaoInvalida', title: 'x', violacoes } }));
  const refused = await register();
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/webhookrec[\s\S]*WebhookOperacaoInvalida/u);
  expect(`${refused.out}${refused.err}`).not.toContain(callbackSecret);
});
