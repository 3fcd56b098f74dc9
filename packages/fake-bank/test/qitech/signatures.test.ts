import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '#test/support/properties.ts';
import { expect, test } from 'vitest';
import { claimsOf, isSignatureOf, signClaims } from '#fake-bank/qitech/signatures.ts';
import { Settings } from '#fake-bank/qitech/settings.ts';
import { keepSigningKey } from '#fake-bank/qitech/signing-keys.ts';

/** The token of the example in “Webhook” without its signature. Its digest is of the body of the test of signatures. */
const page = {
  head: 'eyJhbGciOiJFUzUxMiIsInR5cCI6IkpXVCJ9',
  claims:
    'eyJwYXlsb2FkX21kNSI6IjRhNjAzZjBmMGU3ZGRkZTlkYTJhMGFkM2QzNDFmNzRiIiwidGltZXN0YW1wIjoiMjAyMy0wNi0zMFQxODo1MjoyNy44ODU3MzFaIiwibWV0aG9kIjoiUE9TVCIsInVyaSI6Ii90ZXN0In0',
  body: '{"name":"QI Tech"}',
  at: Date.parse('2023-06-30T18:52:27.885Z'),
};

const pair = () => generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
const client = pair();
const publicKey = client.publicKey.export({ type: 'spki', format: 'pem' }) as string;

/** A token as a client makes it with Node alone. */
function tokenOf(claims: object, key: KeyObject = client.privateKey, head: object = { alg: 'ES512', typ: 'JWT' }) {
  const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('sha512', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const now = Date.parse('2026-03-02T12:00:00.000Z');
const request = { method: 'POST', target: '/account/a/pix_transfer', body: '{"transaction_amount":500.65}' };
const claims = {
  payload_md5: md5(request.body),
  timestamp: '2026-03-02T12:00:00.000000Z',
  method: 'POST',
  uri: request.target,
};
const settings = Settings.parse({});
const isTaken = (token: string, of = request, more: Partial<Settings> = {}) =>
  isSignatureOf(token, of, { publicKey, nowMs: now, settings: { ...settings, ...more } });

test("a token has the head and the claims of the bank's example, byte for byte", async () => {
  const made = claimsOf({ method: 'POST', uri: '/test', body: page.body }, page.at);
  expect(made).toEqual({
    payload_md5: '4a603f0f0e7ddde9da2a0ad3d341f74b',
    timestamp: '2023-06-30T18:52:27.885000Z',
    method: 'POST',
    uri: '/test',
  });
  const token = await signClaims({ ...made, timestamp: '2023-06-30T18:52:27.885731Z' }, client.privateKey);
  expect(token.split('.').slice(0, 2)).toEqual([page.head, page.claims]);
});

test("Node's own check takes a token that the bank signs, and not with another key", async () => {
  const token = await signClaims(claims, client.privateKey);
  const text = token.slice(0, token.lastIndexOf('.'));
  const signature = Buffer.from(token.slice(token.lastIndexOf('.') + 1), 'base64url');
  const isBy = (key: KeyObject) => verify('sha512', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);
  expect(signature).toHaveLength(132);
  expect([isBy(client.publicKey), isBy(pair().publicKey)]).toEqual([true, false]);
});

test("a token that Node alone signs is taken for its request, and refused when any part is another's", async () => {
  expect(await isTaken(tokenOf(claims))).toBe(true);
  const shift = (ms: number) => ({ ...claims, timestamp: new Date(now + ms).toISOString() });
  expect(await isTaken(tokenOf(shift(-300_000)))).toBe(true);
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${tokenOf(claims).split('.')[1] ?? ''}.`;
  const refused = {
    'another key': tokenOf(claims, pair().privateKey),
    'another body': tokenOf({ ...claims, payload_md5: md5('{}') }),
    'another method': tokenOf({ ...claims, method: 'PUT' }),
    'another path': tokenOf({ ...claims, uri: '/account/b/pix_transfer' }),
    'too early': tokenOf(shift(-300_001)),
    'too late': tokenOf(shift(300_001)),
    'no time': tokenOf({ ...claims, timestamp: 'now' }),
    'no claim': tokenOf({ uri: claims.uri }),
    'another algorithm': tokenOf(claims, client.privateKey, { alg: 'ES384', typ: 'JWT' }),
    'no algorithm': none,
    'the older form': `QIT key:${tokenOf(claims)}`,
    'no token': '',
  };
  for (const [what, token] of Object.entries(refused)) expect(await isTaken(token), what).toBe(false);
});

test('a token is of its own request alone, for all requests', async () => {
  const part = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
    target: fc.webPath().map((path) => `/account${path}`),
    body: fc.oneof(fc.constant(''), fc.json()),
  });
  await fc.assert(
    fc.asyncProperty(part, part, async (one, other) => {
      const body = one.body === '' && ['GET', 'DELETE'].includes(one.method) ? '{}' : one.body;
      const token = tokenOf({ ...claims, payload_md5: md5(body), method: one.method, uri: one.target });
      expect(await isTaken(token, one)).toBe(true);
      const isSame = one.method === other.method && one.body === other.body && one.target === other.target;
      if (!isSame && other.body !== '{}') expect(await isTaken(token, other, { signedUri: 'AS_SENT' })).toBe(false);
    }),
    { numRuns: 60 },
  );
});

test('settings say how a path with a query and an escape, and a request without a body, are signed', async () => {
  const get = { method: 'GET', target: '/pix_key/a%40b.com?account_key=k', body: '' };
  const spellings = ['/pix_key/a%40b.com?account_key=k', '/pix_key/a%40b.com', '/pix_key/a@b.com'];
  const taken = async (more: Partial<Settings>) =>
    Promise.all(
      spellings.map((uri) => isTaken(tokenOf({ ...claims, payload_md5: md5('{}'), method: 'GET', uri }), get, more)),
    );
  expect(await taken({})).toEqual([true, true, true]);
  expect(await taken({ signedUri: 'AS_SENT' })).toEqual([true, false, false]);
  expect(await taken({ signedUri: 'PATH' })).toEqual([false, true, false]);
  expect(await taken({ signedUri: 'DECODED_PATH' })).toEqual([false, false, true]);
  const nothing = tokenOf({ ...claims, payload_md5: md5(''), method: 'GET', uri: get.target });
  expect(await isTaken(nothing, get)).toBe(false);
  expect(await isTaken(nothing, get, { emptyPayload: 'NOTHING' })).toBe(true);
  expect(await isTaken(nothing, get, { emptyPayload: 'ANY' })).toBe(true);
});

test('a signing key is P-521, is kept, and only its owner reads it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bank-keys-'));
  const made = keepSigningKey(folder, 'bank');
  expect(createPublicKey(made.publicKey).asymmetricKeyDetails).toEqual({ namedCurve: 'secp521r1' });
  expect(readFileSync(made.privateKeyFile, 'utf8')).toMatch(/^-----BEGIN EC PRIVATE KEY-----/u);
  expect(statSync(made.privateKeyFile).mode & 0o077).toBe(0);
  expect(readFileSync(made.publicKeyFile, 'utf8')).toBe(made.publicKey);
  expect(keepSigningKey(folder, 'bank').publicKey).toBe(made.publicKey);
});
