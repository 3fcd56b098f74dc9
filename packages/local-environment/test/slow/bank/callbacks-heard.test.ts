import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAuthority } from '@banking-order/fake-bank';
import { runCommandLine } from '#infra/operator/main.ts';
import { connectTarget } from '#infra/operator/target.ts';
import { maxCallbackBytes } from '#shared/bank-events/receive-callback.ts';
import { payInBody, payoutBody, receiver } from '#test/support/bank-world.ts';
import { control } from '#test/support/api-pix/client.ts';
import { openApi, startWithBank } from '#test/support/api-pix/environment.ts';

/*
 * What comes to the host that banks call, over TLS, in the local environment: only its bank moves anything, and only by
 * what it says when it is asked. Then all that was said, printed and logged meanwhile: nothing of the secret is in it.
 */

type Pair = { readonly cert: string; readonly key: string };

let local: Awaited<ReturnType<typeof startWithBank>>;
let call: Awaited<ReturnType<typeof openApi>>;
/** The address that is registered at the bank: its host, and the token of the path. */
let origin: string;
let token: string;
let ofBank: Agent;
const responses: string[] = [];

beforeAll(async () => {
  local = await startWithBank();
  const api = await openApi(local.sandbox, 0);
  call = async (...args) => {
    const response = await api(...args);
    responses.push(response.text);
    return response;
  };
  const { webhooks } = (await control(local.bank, 'state')) as { webhooks: readonly { readonly webhookUrl: string }[] };
  const url = new URL(webhooks[0]?.webhookUrl ?? '');
  [origin, token] = [url.origin, url.pathname.slice(1)];
  ofBank = agentOf(read('webhook'));
});
afterAll(async () => {
  ofBank.destroy();
  await local.stop();
});

const read = (name: string): Pair => ({
  cert: local.read(`bank/certificates/${name}.crt`),
  key: local.read(`bank/certificates/${name}.key`),
});

function agentOf(pair: Partial<Pair>): Agent {
  return new Agent({ ...pair, ca: readFileSync(local.bank.caFile), keepAlive: true, maxSockets: 20 });
}

/** Status of a callback; undefined when the connection is refused. */
async function send(
  body: object | string,
  { agent = ofBank, path = `/${token}/pix` } = {},
): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const outgoing = request(`${origin}${path}`, { method: 'POST', agent });
  outgoing.on('error', () => {
    resolve(undefined);
  });
  outgoing.on('response', (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}

const e2e = (number: number): string => `E00000000202611250900${String(number).padStart(11, '0')}`;
const accountOf = (company: number): string => local.sandbox.companies[company]?.accounts[0]?.id ?? '';
const payIns = '/order/v1/banking/order-payins';

async function openPayIn(api = call, company = 0): Promise<string> {
  const { status, text } = await api('POST', payIns, payInBody({ accountId: accountOf(company) }));
  expect(status, text).toBe(201);
  return (JSON.parse(text) as { id: string }).id;
}

const statusOf = async (id: string, api = call): Promise<unknown> =>
  (JSON.parse((await api('GET', `${payIns}/${id}`)).text) as { status: unknown }).status;
const force = (id: string) => call('PUT', '/order-tools/v1/order/status', { id, status: 'PAID' });

/** How often the bank is asked for payments from now on: a lag of a millisecond, which is no fault, counts. */
async function countReads(): Promise<() => Promise<number>> {
  const many = 1_000_000;
  const rule = { fault: 'LAG', method: 'GET', path: '^/v2/(?:pix/E|gn/pix/enviados/)', ms: 1 };
  await control(local.bank, 'fault', { ...rule, times: many });
  return async () => {
    const rules = (await control(local.bank, 'fault', { ...rule, path: '^/nothing$', times: 1 })) as { left: number }[];
    return many - (rules[0]?.left ?? 0);
  };
}

test('a callback is accepted only with a certificate of the bank, its subject, and the token', async () => {
  const untrustedCertificate = openAuthority(join(local.folder, 'foreign')).issue(
    'webhook',
    'webhooks.banco-local.com.br',
  );
  const client = {
    cert: readFileSync(local.bank.client.certFile, 'utf8'),
    key: readFileSync(local.bank.client.keyFile, 'utf8'),
  };
  for (const [agent, status] of [
    [agentOf({}), undefined],
    [agentOf({ cert: untrustedCertificate.cert, key: untrustedCertificate.key }), undefined],
    [agentOf(client), 403],
    [ofBank, 200],
  ] as const)
    expect(await send({ evento: 'teste_webhook' }, { agent })).toBe(status);
  expect(await send({}, { path: `/${'x'.repeat(token.length)}/pix` })).toBe(404);
  expect(await send({}, { path: '/..%2f/pix' })).toBe(404);
});

test('a callback is refused as a whole when its body is truncated or too large', async () => {
  const many = (count: number) => ({ pix: Array.from({ length: count }, (_, at) => ({ endToEndId: e2e(at) })) });
  expect(await send(JSON.stringify(many(3)).slice(0, -1))).toBe(400);
  expect(await send(many(10_000))).toBe(413);
  expect(await send(`{"pix":[],"x":"${'x'.repeat(maxCallbackBytes)}"}`)).toBe(413);
});

/** A callback that fails once is hidden for three minutes. */
const patience = { timeout: 200_000 };

test("a forged callback changes no pay-in, neither the company's own nor another company's", async () => {
  const other = await openApi(local.sandbox, 1);
  const [own, otherCompanyPayIn] = [await openPayIn(), await openPayIn(other, 1)];
  for (const id of [own, otherCompanyPayIn]) {
    const pix = { endToEndId: e2e(1), txid: id.replaceAll('-', ''), valor: '25.00', horario: '2026-11-25T09:00:00Z' };
    expect(await send({ pix: [pix] })).toBe(200);
  }
  // A true callback after them: when it is applied, they have been received.
  const later = await openPayIn();
  await force(later);
  await expect.poll(() => statusOf(later), patience).toBe('PAID');
  expect([await statusOf(own), await statusOf(otherCompanyPayIn, other)]).toEqual(['PENDING', 'PENDING']);
});

test('two hundred replays of a callback cost the bank fewer than 20 reads, and credit once', async () => {
  const id = await openPayIn();
  await force(id);
  const { pix } = (await control(local.bank, 'state')) as { pix: readonly { readonly txid?: string }[] };
  const paid = pix.filter(({ txid }) => txid === id.replaceAll('-', ''));
  expect(paid).toHaveLength(1);
  const balance = async () => (await call('GET', `/order/v1/banking/accounts/${accountOf(0)}/balance`)).text;
  const [before, reads] = [await balance(), await countReads()];
  const replies = await Promise.all(Array.from({ length: 200 }, () => send({ pix: paid })));
  expect(new Set(replies)).toEqual(new Set([200]));
  const later = await openPayIn();
  await force(later);
  await expect.poll(() => statusOf(later), patience).toBe('PAID');
  // That of the later one, asked about by its callback and by the tool that waits for it.
  expect(await reads()).toBeLessThan(20);
  await control(local.bank, 'clear-faults');
  expect(JSON.parse(await balance())).not.toEqual(JSON.parse(before));
  expect(await statusOf(id)).toBe('PAID');
});

/** Runs an operator's command on this environment; gives all that it said. */
async function operate(...args: string[]): Promise<string> {
  let output = '';
  const terminal = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
  await runCommandLine(args, (target) => connectTarget({ ...target, localDir: local.folder }, {}), terminal);
  return output;
}

test('responses, commands and logs contain no secret of the bank when the bank fails', async () => {
  const [company] = local.sandbox.companies;
  const companyArgs = ['--company', company?.companyId ?? ''];
  const outputs: string[] = [];
  const payOut = () =>
    call(
      ...(['POST', '/order/v1/banking/order-payouts'] as const),
      payoutBody({ accountId: accountOf(0), receiver, paymentData: { pixKey: receiver.document.number } }),
    );
  const statuses = new Set<number>();
  const tryAll = async (): Promise<void> => {
    const all = [await call('POST', payIns, payInBody({ accountId: accountOf(0) })), await payOut()];
    for (const { status } of all) statuses.add(status);
    outputs.push(await operate('bank:check', ...companyArgs), await operate('bank:list'));
    await operate('bank:resume', ...companyArgs);
  };
  for (const fault of ['FORBID', 'UNAUTHORIZED', 'TOO_MANY', 'ERROR_AFTER', 'LOSE_ANSWER', 'GARBLE']) {
    await control(local.bank, 'fault', { fault });
    await tryAll();
    await control(local.bank, 'clear-faults');
  }
  const { client } = local.bank;
  const secrets = JSON.parse(local.read('bank-secrets.json')) as Record<string, string>;
  const [name = ''] = Object.keys(secrets);
  const wrong = { ...(JSON.parse(secrets[name] ?? '') as object), clientSecret: 'Client_Secret_of_nobody' };
  writeFileSync(join(local.folder, 'bank-secrets.json'), JSON.stringify({ ...secrets, [name]: JSON.stringify(wrong) }));
  await tryAll();
  writeFileSync(join(local.folder, 'bank-secrets.json'), JSON.stringify(secrets));
  expect(statuses).toContain(503);
  expect(outputs.join('\n')).toMatch(/\(403\)[\s\S]*issued no token \(401\)/u);

  const database = new DatabaseSync(join(local.folder, 'bank/bank.db'), { readOnly: true });
  const bearers = database.prepare("SELECT DISTINCT id FROM versions WHERE kind = 'token'").all();
  database.close();
  const lines = [client.certFile, client.keyFile].flatMap((file) => readFileSync(file, 'utf8').split(/\s+/u));
  const hidden: Readonly<Record<string, readonly string[]>> = {
    'client secret': [client.secret, 'Client_Secret_of_nobody'],
    'basic credentials': [Buffer.from(`${client.id}:${client.secret}`).toString('base64')],
    'token of callbacks': [token],
    'token of the bank': bearers.map(({ id }) => String(id)),
    'certificate or key': lines.filter((line) => line.length === 64),
  };
  const searchedTexts = {
    ...{ answers: responses.join(), commands: outputs.join(), 'npm start': local.printed.join('\n') },
    ...{ 'functions.log': local.read('functions.log'), 'bank.log': local.read('bank.log') },
  };
  expect(bearers.length).toBeGreaterThan(1);
  expect(searchedTexts['functions.log']).toContain('Bank refused the access of a company');
  const found = Object.entries(searchedTexts).flatMap(([where, text]) =>
    Object.entries(hidden)
      .filter(([, values]) => values.some((value) => text.includes(value)))
      .map(([secretName]) => `${secretName} in ${where}`),
  );
  expect(found).toEqual([]);
});
