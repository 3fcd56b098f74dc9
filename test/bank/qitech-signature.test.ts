import { createHash, generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { parseSecret } from '#shared/bank/dialects/qitech/credentials.ts';
import { qitechJson, reais, Reais, SignedReais } from '#shared/bank/dialects/qitech/json.ts';
import { signedHeaders } from '#shared/bank/dialects/qitech/signature.ts';
import { centavos, maxAmount } from '#shared/core/money.ts';
import { fc } from '../support/properties.ts';
import { clientId, now, ownPem, publicKey } from './qitech-bank.ts';

const secret = { clientId, key: ownPem };
const pemOf = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('a request has its digest, method, path and time in a token that another implementation of ES512 verifies', async () => {
  const methods = fc.constantFrom('GET' as const, 'POST' as const);
  const bodies = fc.option(fc.json(), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(methods, fc.webPath(), bodies, async (method, uri, body) => {
      const headers = signedHeaders({ method, uri, body }, secret, now);
      expect(Object.keys(headers)).toEqual(['API-CLIENT-KEY', 'AUTHORIZATION']);
      expect(headers['API-CLIENT-KEY']).toBe(clientId);
      const { payload, protectedHeader } = await jwtVerify(headers['AUTHORIZATION'] ?? '', publicKey);
      expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'ES512' });
      const digest = createHash('md5')
        .update(body ?? '{}')
        .digest('hex');
      expect(payload).toEqual({ payload_md5: digest, timestamp: '2026-01-15T12:00:00.000000Z', method, uri });
    }),
    { numRuns: 50 },
  );
});

test('a request without a body has the digest of an empty object', async () => {
  const { AUTHORIZATION = '' } = signedHeaders({ method: 'GET', uri: '/account/1' }, secret, now);
  const { payload } = await jwtVerify(AUTHORIZATION, publicKey);
  expect(payload['payload_md5']).toBe('99914b932bd37a50b983c5e7c90ae93b');
});

describe('a secret', () => {
  test('has a key on P-521, as PKCS 8 or as OpenSSL writes it', () => {
    for (const key of [ownPem, pemOf('secp521r1')])
      expect(parseSecret(JSON.stringify({ clientId, key })).key).toBe(key);
  });

  test.each([
    ['a key on another curve', { clientId, key: pemOf('prime256v1') }, 'key'],
    ['a text in the place of the key', { clientId, key: 'a key' }, 'key'],
    ['no client key', { key: ownPem }, 'clientId'],
  ])('with %s is refused by the name of the member, without its value', (_what, given, name) => {
    expect(() => parseSecret(JSON.stringify(given))).toThrow(`The secret of the bank is malformed: ${name}.`);
  });
});

describe('an amount', () => {
  test('is written as a JSON number of its exact decimal text, and read back digit by digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: maxAmount }), (count) => {
        const text = JSON.stringify({ amount: reais(centavos(count)) });
        const digits = String(count).padStart(3, '0');
        expect(text).toBe(`{"amount":${digits.slice(0, -2)}.${digits.slice(-2)}}`);
        const { amount } = qitechJson(text) as { readonly amount: unknown };
        expect(Reais.parse(amount)).toBe(count);
      }),
    );
  });

  test.each([
    ['500.65', 50_065],
    ['147', 14_700],
    ['126.9', 12_690],
    ['0.1', 10],
  ])('%s of the bank is %i centavos', (text, count) => {
    expect(Reais.parse(qitechJson(text))).toBe(count);
    expect(SignedReais.parse(qitechJson(`-${text}`))).toBe(-count);
  });

  test.each(['1e2', '0.105', '-1', '0', '"1.00"', 'null', '12345678901', '{}'])('%s is none', (text) => {
    expect(Reais.safeParse(qitechJson(text)).success).toBe(false);
  });
});

test.each(['', '{', '{"a":1,"a":2}', '<html></html>', '['.repeat(1000), '\ufeff{}'])(
  'the text %j of a bank is no JSON',
  (text) => {
    expect(qitechJson(text)).toBeUndefined();
  },
);
