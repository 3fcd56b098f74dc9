import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { jars } from '@banking-order/cdk-local';
import type { HttpResponse, Send } from '#partner-tools/api/http.ts';
import type { Patient } from '#partner-tools/doctor/examine.ts';
import { dynamoDbLocalStamp, examine } from '#partner-tools/doctor/examine.ts';
import type { Finding, Part } from '#partner-tools/doctor/finding.ts';
import { example as capabilities } from '#functions/accounts/capabilities/contract.ts';
import { example as payouts } from '#functions/payouts/list/contract.ts';
import { example as keyList } from '#functions/pix-keys/list/contract.ts';
import { webhookTypes } from '#shared/platform/outbox/delivery.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import { root } from '#test/architecture/sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const id = '6f1d2c3b-4a59-4e8f-9a0b-1c2d3e4f5a60';
const at = '2026-01-15T12:00:00.000Z';
const url = 'https://partner.example.com/hook';
const company = {
  companyId: 'c-1',
  name: 'Padaria',
  clientId: 'client-1',
  clientSecret: 'secret',
  webhookSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  accounts: [{ id, status: 'ACTIVE', fullName: 'Padaria', document: { type: 'CNPJ', number: '11222333000181' } }],
};
const sandbox = {
  baseUrl: 'http://127.0.0.1:3000',
  tokenUrl: 'http://127.0.0.1:3000/token',
  scope: 's',
  companies: [company],
};

const attempt = (more: object) => ({
  number: 1,
  at,
  outcome: 'DELIVERED',
  httpStatus: 200,
  error: null,
  durationMs: 5,
  returnCode: null,
  ...more,
});
const failed = (error: string, httpStatus: number | null = null) => attempt({ outcome: 'FAILED', error, httpStatus });
const entry = (more: object) => ({
  ...{
    id,
    webhookId: id,
    event: 'ORDER-PAYIN.PAID',
    status: 'DELIVERED',
    resource: { type: 'PAY_IN', id },
    endpoint: url,
  },
  ...{ attemptsCount: 1, createdAt: at, lastAttemptAt: at, nextAttemptAt: null, ...more },
});
const delivery = (...attempts: object[]) => ({ ...entry({}), payload: {}, attempts });
const page = (...data: object[]) => ({ data, hasNext: false, nextCursor: null });
const endpoint = (type: string, more: object = {}) => ({
  type,
  endpoint: url,
  status: 'ACTIVE',
  createdAt: at,
  updatedAt: at,
  ...more,
});
const settings = (...events: object[]) => ({
  id,
  companyId: id,
  organizationId: 'o-1',
  status: 'ACTIVE',
  events,
  createdAt: at,
  updatedAt: at,
});
const refused = { error: 'UNAUTHORIZED', message: 'No.', details: [] };

/** A local receiver to which a notification came that was signed with this secret. */
function receiverWith(current: string, companyId = company.companyId): Answers {
  const body = '{"event":"WEBHOOK.TEST"}';
  const signed = Object.entries(signatureHeaders({ id, at, body, secrets: { current } }));
  const headers = Object.fromEntries(signed.map(([name, value]) => [name.toLowerCase(), value]));
  const bytes = Buffer.from(body).toString('base64');
  const own = endpoint('PAYIN', { endpoint: `${sandbox.baseUrl}/receiver/mine/below` });
  return {
    'GET /order/v1/webhook': [
      200,
      settings(own, ...['PAYIN_REFUND', 'PAYOUT', 'CREDIT', 'DISPUTE'].map((type) => endpoint(type))),
    ],
    'GET /receiver/mine': [200, { received: [{ at, headers, bytes, company: { companyId } }] }],
  };
}

type Answers = Readonly<Record<string, readonly [number, unknown] | Error>>;
/** What a healthy environment answers, by method and path; `anonymous` is a request without a token. */
const healthy: Answers = {
  anonymous: [401, refused],
  'POST /token': [200, { access_token: 'a.b.c' }],
  'GET /order/v1/webhook': [200, settings(...webhookTypes.map((type) => endpoint(type)))],
  'GET /order-tools/v1/clock': [200, { now: at, offsetSeconds: 0 }],
  'GET /order/v1/banking/accounts/{id}/capabilities': [200, capabilities().response.body],
  'GET /order/v1/banking/order-payouts?accountId={id}': [200, page()],
  'GET /order/v1/banking/accounts/{id}/keys': [200, page()],
  'POST /order/v1/webhook/test': [201, delivery()],
  'GET /order/v1/webhook/endpoints': [200, page()],
  'GET /order/v1/webhook/deliveries/{id}': [200, delivery(attempt({}))],
  'GET /order/v1/webhook/deliveries?status=FAILED&open=true': [200, page()],
  'GET /order/v1/webhook/deliveries?status=HELD&open=true': [200, page()],
};

function sendTo(responses: Answers): Send {
  return (_baseUrl, { method, path, headers = {} }) => {
    const isAnonymous = headers.authorization === undefined && !/^\/(?:token|receiver)/u.test(path);
    const name = isAnonymous ? 'anonymous' : `${method} ${path.replace(id, '{id}').replace(/[?&]limit=100/u, '')}`;
    const response = responses[name] ?? new Error(`Nothing was said about ${name}.`);
    if (response instanceof Error) return Promise.reject(response);
    const [status, body] = response;
    const known = { 'x-request-id': id, 'content-type': 'application/json', 'cache-control': 'no-store' };
    const received: HttpResponse = {
      status,
      headers: { date: new Date(at).toUTCString(), ...known },
      text: JSON.stringify(body),
    };
    return Promise.resolve(received);
  };
}

let files = 0;
function fileOf(text: string, mode = 0o600): string {
  const file = join(folder, `sandbox-${(files += 1)}.json`);
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const well: Patient = {
  ...{ nodeVersion: '24.1.0', platform: 'linux-x64', hasEngine: true, isLocal: true },
  ...{ hasDynamoDbLocal: false, ownEngine: undefined },
  ...{ file: fileOf(JSON.stringify(sandbox)), company: undefined, send: sendTo(healthy), nowMs: () => Date.parse(at) },
};
const answering = (responses: Answers): Partial<Patient> => ({ send: sendTo({ ...healthy, ...responses }) });
const broken = (code: string): Error => Object.assign(new Error(code), { code });
const testEnds = (...attempts: object[]) =>
  answering({ 'GET /order/v1/webhook/deliveries/{id}': [200, delivery(...attempts)] });

async function findings(patient: Partial<Patient>): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const finding of examine({ ...well, ...patient })) all.push(finding);
  return all;
}

/** A fault, the part that names it, what is said of it and its cure. */
const faults: readonly (readonly [string, Partial<Patient>, Part, RegExp, RegExp])[] = [
  ['Node is too old', { nodeVersion: '20.20.2' }, 'node', /20\.20\.2 is too old/u, /npm ci/u],
  [
    'there is no engine',
    { hasEngine: false, platform: 'darwin-arm64' },
    'engine',
    /darwin-arm64/u,
    /--engine dynamodb-local/u,
  ],
  ['the sandbox file is missing', { file: join(folder, 'none.json') }, 'folder', /no sandbox file/u, /npm start/u],
  ['the sandbox file is broken', { file: fileOf('{"baseUrl":') }, 'folder', /is not a sandbox file/u, /npm start/u],
  [
    'others may read the secrets',
    { file: fileOf(JSON.stringify(sandbox), 0o644) },
    'folder',
    /Other users of this machine/u,
    /chmod 600/u,
  ],
  ['nothing runs', answering({ anonymous: broken('ECONNREFUSED') }), 'port', /ECONNREFUSED/u, /npm start/u],
  [
    'another program has the port',
    answering({ anonymous: [200, 'hello'] }),
    'port',
    /Another program responds/u,
    /PORT=0/u,
  ],
  ['the clock is wrong', { nowMs: () => Date.parse(at) + 600_000 }, 'clock', /600 s ahead/u, /NTP/u],
  [
    'the client secret is wrong',
    answering({ 'POST /token': [401, { error: 'invalid_client' }] }),
    'token',
    /invalid_client/u,
    /client:create/u,
  ],
  [
    'the client was revoked',
    answering({ 'GET /order/v1/webhook': [403, { ...refused, error: 'FORBIDDEN_ERROR' }] }),
    'token',
    /revoked/u,
    /client:restore/u,
  ],
  [
    'the issuer is another one',
    answering({ 'GET /order/v1/webhook': [401, { ...refused, message: 'The token\nis foreign.' }] }),
    'token',
    /refuses the token \(401\): The token is foreign\./u,
    /one environment/u,
  ],
  [
    'what refuses the token says nothing',
    answering({ 'GET /order/v1/webhook': [401, 'no'] }),
    'token',
    /refuses the token \(401\)\.$/u,
    /one environment/u,
  ],
  [
    'nobody listens at an endpoint',
    testEnds(failed('CONNECTION_REFUSED')),
    'endpoints',
    /CONNECTION_REFUSED/u,
    /start your receiver/u,
  ],
  ['a receiver refuses the signature', testEnds(failed('STATUS', 401)), 'endpoints', /STATUS 401/u, /check-receiver/u],
  [
    'an address that it does not try took nothing for an hour, though its circuit is closed',
    answering({
      'GET /order/v1/webhook/endpoints': [
        200,
        page({
          ...{
            endpoint: 'https://partner.example.com/contract',
            state: 'CLOSED',
            failingSince: at,
            reason: 'HTTP 503',
          },
          ...{ waiting: 0, waitingExact: true },
        }),
      ],
    }),
    'endpoints',
    /contract has acknowledged nothing since .*: HTTP 503/u,
    /resends/u,
  ],
  ['a receiver redirects', testEnds(failed('REDIRECT', 302)), 'endpoints', /REDIRECT 302/u, /register the URL/u],
  [
    'the webhook secret was rotated since',
    answering(receiverWith('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')),
    'secret',
    /does not sign with/u,
    /rotate-secret/u,
  ],
  [
    'deliveries have failed',
    answering({
      'GET /order/v1/webhook': [200, settings()],
      'GET /order/v1/webhook/deliveries?status=FAILED&open=true': [200, page(entry({ status: 'FAILED' }))],
      'GET /order/v1/webhook/deliveries/{id}': [200, delivery(failed('TIMEOUT'))],
    }),
    'deliveries',
    /1 delivery is FAILED.*TIMEOUT/u,
    /resends/u,
  ],
  [
    'deliveries are held',
    answering({
      'GET /order/v1/webhook/deliveries?status=HELD&open=true': [200, page(entry({ status: 'HELD', endpoint: null }))],
    }),
    'deliveries',
    /1 delivery is HELD \(ORDER-PAYIN\.PAID\)/u,
    /PUT \/order\/v1\/webhook/u,
  ],
];

describe('the doctor', () => {
  test('finds every part good when the environment is healthy', async () => {
    const all = await findings({});
    expect(all.map(({ part, verdict }) => `${part} ${verdict}`)).toEqual([
      ...['node good', 'engine good', 'folder good', 'port good', 'clock good', 'token good'],
      ...[...webhookTypes.map(() => 'endpoints good'), 'deliveries good'],
    ]);
  });

  test.each(faults)(
    'names the failing part in one line, with a remedy, when %s',
    async (_fault, patient, part, found, cure) => {
      const wrong = (await findings(patient)).filter(({ verdict }) => verdict === 'bad');
      expect(new Set(wrong.map((one) => one.part))).toEqual(new Set([part]));
      for (const one of wrong) {
        expect(one.found).toMatch(found);
        expect('cure' in one ? one.cure : '').toMatch(cure);
        expect(JSON.stringify(one)).not.toMatch(/\\n|\bat .*:\d+:\d+/u);
      }
    },
  );

  test.each([
    ['a type has no endpoint', answering({ 'GET /order/v1/webhook': [200, settings()] }), webhookTypes.length, /held/u],
    [
      'an endpoint is inactive',
      answering({ 'GET /order/v1/webhook': [200, settings(endpoint('PAYIN', { status: 'INACTIVE' }))] }),
      webhookTypes.length,
      /held/u,
    ],
    [
      'the tests are used up',
      answering({ 'POST /order/v1/webhook/test': [429, refused] }),
      webhookTypes.length,
      /not tested/u,
    ],
    [
      "the company's clock is ahead",
      answering({ 'GET /order-tools/v1/clock': [200, { now: at, offsetSeconds: 86_400 }] }),
      1,
      /86400 s ahead/u,
    ],
    [
      'the bank of the account refuses what was used lately',
      answering({
        'GET /order/v1/banking/accounts/{id}/capabilities': [
          200,
          { ...capabilities().response.body, paymentMethods: ['PIX'], keyTypes: [] },
        ],
        'GET /order/v1/banking/order-payouts?accountId={id}': [
          200,
          page({ ...payouts().response.body.data[0], paymentMethod: 'TED' }),
        ],
        'GET /order/v1/banking/accounts/{id}/keys': [200, keyList().response.body],
      }),
      2,
      /^1 payouts by TED: the bank of the account refuses them\.$/u,
    ],
  ])('advises, without calling it wrong, when %s', async (_what, patient, count, found) => {
    const all = await findings(patient);
    expect(all.filter(({ verdict }) => verdict === 'bad')).toEqual([]);
    const advised = all.filter(({ verdict }) => verdict === 'advice');
    expect(advised).toHaveLength(count);
    expect(advised[0]?.found).toMatch(found);
  });

  test('looks for no engine where the environment runs elsewhere, nor where there is one of the user', async () => {
    expect((await findings({ hasEngine: false, isLocal: false })).every(({ verdict }) => verdict === 'good')).toBe(
      true,
    );
    const own = await findings({ hasEngine: false, ownEngine: 'http://127.0.0.1:8000' });
    expect(own.find(({ part }) => part === 'engine')).toMatchObject({ verdict: 'good' });
  });

  test('judges the webhook secret only by notifications of the company at the local receiver', async () => {
    const ofSecret = (all: readonly Finding[]) => all.filter(({ part }) => part === 'secret');
    const found = ofSecret(await findings(answering(receiverWith(company.webhookSecret))));
    expect(found.map(({ verdict }) => verdict)).toEqual(['good']);
    for (const none of [{}, answering(receiverWith('whsec_b3RoZXI=', 'another'))])
      expect(ofSecret(await findings(none))).toEqual([]);
  });

  test('takes DynamoDB Local for an engine, where npm start has fetched it', async () => {
    const all = await findings({ hasEngine: false, hasDynamoDbLocal: true });
    expect(all.find(({ part }) => part === 'engine')).toMatchObject({ verdict: 'good' });
    expect(join(root, dynamoDbLocalStamp)).toBe(join(jars, '.complete'));
  });

  test('passes over test notifications among the failed deliveries', async () => {
    const failedTest = page(entry({ status: 'FAILED', event: 'WEBHOOK.TEST' }));
    const all = await findings(
      answering({ 'GET /order/v1/webhook/deliveries?status=FAILED&open=true': [200, failedTest] }),
    );
    expect(all.at(-1)).toMatchObject({ part: 'deliveries', verdict: 'good' });
  });
});
