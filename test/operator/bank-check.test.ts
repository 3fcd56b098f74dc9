import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openAuthority, operations } from '@banking-order/fake-bank';
import type { LocalBank } from '@banking-order/fake-bank';
import { callbackChecks } from '#infra/operator/bank-errors.ts';
import { runCommandLine } from '#infra/operator/main.ts';
import type { PlanGateway } from '#infra/operator/usage-plan.ts';
import type { BankConnection } from '#shared/bank/connection.ts';
import { plusDays, plusSeconds } from '#shared/core/brasilia-time.ts';
import { keys } from '#shared/platform/table/keys.ts';
import { call, control, openLocalBank, takeToken } from '../support/api-pix/client.ts';
import { openReceiver } from '../support/api-pix/receiver.ts';
import { connectCompany } from './connected-company.ts';
import type { TestOperator } from './terminal.ts';
import { at, testOperator } from './terminal.ts';
import { connectedItems, onlyConnection } from '../support/connected-items.ts';

/*
 * `bank:check` against the bank of this machine over mTLS, with one fault after another, each made where it would be:
 * in the secret, in the connection, at the bank, on the way back. Each is one line.
 */

type Company = Awaited<ReturnType<typeof connect>>;

let open: Awaited<ReturnType<typeof openLocalBank>>;
let operator: TestOperator;
let front: Awaited<ReturnType<typeof openReceiver>>;
let company: Company;
beforeAll(async () => {
  open = await openLocalBank();
  operator = testOperator();
  front = await openReceiver(open.dir, operator.store);
  company = await connect(open.bank.client);
});
afterAll(async () => {
  await front.stop();
  await open[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await changeSecret({});
  await changeConnection({});
  await control(open.bank, 'clear-faults');
  // The operator's day is the bank's.
  await control(open.bank, 'clock', { now: at });
  await register(company);
  // What it refused before is over once it is asked again.
  await check();
});

async function connect(client: LocalBank['client']) {
  const connected = await connectCompany(operator, open.bank, client, open.dir);
  const { companyId } = connected;
  const connection = await onlyConnection(operator.store, companyId);
  if (connection === undefined) throw new Error('It is not connected.');
  const name = connection.secret;
  const secret = JSON.parse((await operator.bankSecrets().fetch(name)) ?? '') as Readonly<Record<string, string>>;
  return { ...connected, client, name, secret, connection };
}

const register = ({ companyId, token }: Company, { url } = front) =>
  operator.run('bank:webhooks', '--company', companyId, '--url', url, '--token', token);

async function check({ companyId } = company, now = at): Promise<{ code: number; out: string }> {
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const atThatTime = { ...operator, now: () => now };
  const code = await runCommandLine(['bank:check', '--company', companyId], () => atThatTime, terminal);
  return { code, out };
}

const changeSecret = (change: Readonly<Record<string, string>>): Promise<void> =>
  operator.bankSecrets().write(company.name, JSON.stringify({ ...company.secret, ...change }));
const changeConnection = (change: Partial<BankConnection>) =>
  operator.store.write(connectedItems({ ...company.connection, ...change }), crypto.randomUUID());
const breakBank = (fault: string, path: string) => control(open.bank, 'fault', { fault, path });
const unreachableUrl = 'https://127.0.0.1:1';

/** Signed by the bank's own authority, or by another one. */
function otherCertificate(authority: 'certificates' | 'foreign') {
  const { cert: certificate, key } = openAuthority(join(open.dir, authority)).issue('other', 'another client');
  return { certificate, key };
}

/** The certificate's last days, or a time after them. */
const end = (days: number): string => {
  const { validToDate } = new X509Certificate(company.secret['certificate'] ?? '');
  return `${plusDays(validToDate.toISOString().slice(0, 10), days)}T12:00:00.000Z`;
};

/** What an operator must never read there. */
function secretsIn(text: string): readonly string[] {
  const { clientSecret = '', key = '', certificate = '' } = company.secret;
  const lines = `${key}\n${certificate}`.split(/\s+/u).filter((line) => line.length === 64);
  return [clientSecret, company.callbackSecret, ...lines].filter((one) => text.includes(one));
}

test('bank:check prints each check with its mark and exits with 0 when it finds no error', async () => {
  const { code, out } = await check();
  const lines = out.split('\n').map((line) => line.replace(/^(?:checks)? +/u, '').replaceAll(/ +/gu, ' '));
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      `companyId ${company.companyId}`,
      'problems 0',
      'result checked error',
      ...['pause', 'chave', 'secret', 'certificate', 'token', 'scopes'].map((checked) => `✔ ${checked} -`),
      ...['/v2/cob', '/v2/pix', '/v2/rec', '/v2/cobr', '/v2/gn/pix/enviados', '/v2/gn/infracoes', '/v2/gn/saldo'].map(
        (path) => `✔ GET ${path} -`,
      ),
      ...['webhook of a chave', 'webhookrec', 'webhookcobr'].map((name) => `✔ ${name} -`),
      `✔ callbacks to ${front.url} -`,
      '✔ pauses of lists and look-ups -',
      '✔ sends and other calls of the service: none refused -',
    ],
  });
});

test('bank:webhooks fails and names a callback address when the bank gave no answer about it', async () => {
  await breakBank('LOSE_ANSWER', '/v2/webhookrec$');
  const result = await register(company);
  await control(open.bank, 'clear-faults', {});
  expect(result.code).toBe(1);
  expect(result.out + result.err).toMatch(/webhookrec[^]*no readable response/u);
});

const lineOf = (checked: string, error: string) => new RegExp(` ✘ +${checked} +${error}`, 'u');

test.each<[string, () => unknown, RegExp]>([
  [
    'a certificate of another authority',
    () => changeSecret(otherCertificate('foreign')),
    lineOf('token', '(Cannot connect to the bank: ERR_SSL_|The bank issued no token \\(no response\\))'),
  ],
  [
    'a certificate of another client',
    () => changeSecret(otherCertificate('certificates')),
    lineOf('token', 'The bank issued no token \\(401\\)'),
  ],
  [
    'the private key of another certificate',
    () => changeSecret({ key: otherCertificate('foreign').key }),
    lineOf('certificate', 'the key does not belong to the certificate'),
  ],
  [
    'a wrong client secret',
    () => changeSecret({ clientSecret: 'Client_Secret_of_somebody' }),
    lineOf('token', 'The bank issued no token \\(401\\)'),
  ],
  [
    'a malformed secret',
    () => operator.bankSecrets().write(company.name, '{"clientId":"x"}'),
    lineOf('secret', 'SecretUnavailable'),
  ],
  [
    'a token endpoint that refuses connections',
    () => changeConnection({ tokenUrl: `${unreachableUrl}/oauth/token` }),
    lineOf('token', 'Cannot connect to the bank: ECONNREFUSED'),
  ],
  [
    'an API that refuses connections',
    () => changeConnection({ apiUrl: unreachableUrl }),
    lineOf('API', 'Cannot connect.*ECONNREFUSED'),
  ],
  ['a resource that the bank forbids', () => breakBank('FORBID', '^/v2/cob$'), lineOf('GET /v2/cob', '.*\\(403\\)')],
  [
    'an unreadable balance',
    () => breakBank('GARBLE', '/v2/gn/saldo'),
    lineOf('GET /v2/gn/saldo', 'The bank response is missing or unreadable'),
  ],
  [
    'a webhook address that is not registered at the bank',
    async () => {
      const token = (await takeToken(open.bank)).body.access_token as string;
      const headers = { Authorization: `Bearer ${token}` };
      await call(open.bank, 'DELETE', `${open.bank.apiUrl}/v2/webhookrec`, { headers });
    },
    lineOf('webhookrec', 'no address is registered'),
  ],
  [
    'another webhook address that is registered at the bank',
    () => changeConnection({ callback: { ...company.connection.callback, tokenHash: '0'.repeat(64) } }),
    lineOf('webhook of a chave, webhookrec, webhookcobr', 'another address is registered'),
  ],
  [
    'a host of callbacks that does not respond',
    async () => {
      const shortLived = await openReceiver(open.dir, operator.store);
      await register(company, shortLived);
      await shortLived.stop();
    },
    lineOf('callbacks', 'https://127.0.0.1:\\d+ does not respond: ECONNREFUSED'),
  ],
  [
    'a paused connection',
    () => operator.run('bank:pause', '--company', company.companyId),
    lineOf('pause', 'until 9999-12-31T23:59:59.999Z: an operator paused the connection'),
  ],
])('%s is reported in one line of bank:check, with exit code 1', async (_name, injectFault, line) => {
  await injectFault();
  const { code, out } = await check();
  expect(out).toMatch(line);
  expect(out.match(/ ✘ /gu)).toHaveLength(1);
  expect(out).toMatch(/^problems +1$/mu);
  expect(code).toBe(1);
  expect(secretsIn(out)).toEqual([]);
});

test('a pause of lists or look-ups is reported until it is over', async () => {
  const { companyId, id } = company.connection;
  const pauses = Object.fromEntries(
    ['LIST', 'LOOKUP'].map((kind) => [kind, { until: at, cause: `${kind} refused`, failures: 1 }]),
  );
  const item = { entity: 'BANK_CALLS', companyId, id, refusals: {}, pauses, version: 1 };
  await operator.store.write([{ put: { ...keys.bankCalls(companyId, id), ...item } }], crypto.randomUUID());
  const during = await check(company, plusSeconds(at, -1));
  for (const kind of ['LIST', 'LOOKUP'])
    expect(during.out).toMatch(new RegExp(` ✘ +pause of ${kind} +until ${at}: ${kind} refused`, 'u'));
  expect((await check()).out).not.toContain('pause of');
});

test('a certificate is reported when it has expired, or expires soon', async () => {
  expect((await check(company, end(1))).out).toMatch(lineOf('certificate', 'expired on 20'));
  await control(open.bank, 'clock', { now: end(-10) });
  expect((await check(company, end(-10))).out).toMatch(lineOf('certificate', 'expires in 10 days'));
});

test('a scope is reported when the bank does not grant it', async () => {
  const scopes = operations.map(({ scope }) => scope).filter((scope) => scope !== 'gn.qrcodes.pay');
  const client = (await control(open.bank, 'clients', { scopes: [...new Set(scopes)] })) as LocalBank['client'];
  const other = await connect(client);
  await control(open.bank, 'clock', { client: client.id, now: at });
  expect(await register(other)).toMatchObject({ code: 0 });
  const { code, out } = await check(other);
  expect(code).toBe(1);
  expect(out).toMatch(lineOf('scopes', 'not granted: gn\\.qrcodes\\.pay'));
});

test('a truststore is reported when API Gateway warns about it, or cannot be read', async () => {
  const gateway = (response: () => object) => ({ send: (() => Promise.try(response)) as PlanGateway['send'] });
  const connects = { result: '✔', checked: `callbacks to ${front.url}`, error: null };
  const warned = { mutualTlsAuthentication: { truststoreWarnings: ['Certificate 2 is expired'] } };
  expect(
    await callbackChecks(
      [front.url],
      gateway(() => warned),
    ),
  ).toEqual([connects, { result: '✘', checked: 'truststore', error: 'Certificate 2 is expired' }]);
  const refuse = () => {
    throw Object.assign(new Error('of an account'), { name: 'NotFoundException' });
  };
  expect(await callbackChecks([front.url], gateway(refuse))).toEqual([
    connects,
    { result: '✘', checked: 'truststore', error: 'unreadable: NotFoundException' },
  ]);
});

test('bank:webhooks reports HTTP 403 when the bank’s certificate has another subject', async () => {
  await changeConnection({ callback: { ...company.connection.callback, subject: 'CN=pix.bank.example' } });
  const { code, out } = await register(company);
  expect(code).toBe(1);
  expect(out).toMatch(/WebhookOperacaoInvalida.*HTTP 403/u);
});
