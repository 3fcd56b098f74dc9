import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { CryptoKey } from 'jose';
import { generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { authorizer, good, issuerV2, stage, storeWithClients } from './authorizer-harness.ts';
import type { TestIssuer } from './authorizer-issuer.ts';
import { inSeconds, signed, startTestIssuer } from './authorizer-issuer.ts';

let issuer: TestIssuer;
let store: Store;
let written: string[];

beforeAll(async () => {
  issuer = await startTestIssuer();
  store = await storeWithClients();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  issuer.respondWith(undefined);
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
});

const withToken = (token: string): Promise<APIGatewayAuthorizerResult> =>
  authorizer(issuer.jwksUri, store)({ authorizationToken: `Bearer ${token}` });

describe('a token that is answered with 401', () => {
  /** Refused by API Gateway for every method of the stage, with the cause and nothing of the token. */
  const refused = async (asked: Promise<APIGatewayAuthorizerResult>, fault: TokenError): Promise<void> => {
    expect(await asked).toEqual({
      principalId: 'denied',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Deny', Resource: `${stage}/*` }],
      },
      context: { refusal: fault, message: tokenErrors[fault] },
    });
  };
  const withValue = (authorizationToken: string | undefined): Promise<APIGatewayAuthorizerResult> =>
    authorizer(issuer.jwksUri, store)({ authorizationToken });
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each([
    ['no value', undefined],
    ['an empty value', ''],
    ['only blanks', '  '],
  ])('has the error MISSING when its header has %s', async (_what, value) => {
    await refused(withValue(value), 'MISSING');
  });

  it('has the error MISSING when the event has neither value nor headers', async () => {
    await refused(authorizer(issuer.jwksUri, store)({}), 'MISSING');
    await refused(authorizer(issuer.jwksUri, store)({ headers: null }), 'MISSING');
  });

  it.each([
    ['another scheme', 'Basic Y2xpZW50OnNlY3JldA=='],
    ['a token without the word Bearer', 'abc.def.ghi'],
    ['no token after Bearer', 'Bearer '],
    ['one word that is no token', 'Bearer abc'],
    ['a token of two parts', 'Bearer abc.def'],
    ['an encrypted token of five parts', 'Bearer a.b.c.d.e'],
    ['a token whose parts are no JSON', 'Bearer abc.def.ghi'],
    ['a token without an algorithm', `Bearer ${part({ kid: 'key-1' })}.${part({})}.AA`],
    ['two tokens', 'Bearer abc.def.ghi, Bearer abc.def.ghi'],
    [
      'a token with an unknown critical extension',
      `Bearer ${part({ alg: 'RS256', crit: ['x'], x: 1 })}.${part({})}.AA`,
    ],
    ['an unsigned token', `Bearer ${part({ alg: 'none' })}.${part(good())}.`],
  ])('has the error MALFORMED when its header has %s', async (_what, value) => {
    await refused(withValue(value), 'MALFORMED');
  });

  it('has the error MALFORMED also when the keys of the issuer cannot be fetched', async () => {
    const stoppedIssuer = await startTestIssuer();
    await stoppedIssuer.stop();
    const ask = authorizer(stoppedIssuer.jwksUri, store);
    await refused(ask({ authorizationToken: 'Bearer abc.def.ghi' }), 'MALFORMED');
  });

  it('has the error FOREIGN when another key signed it under the same key id', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    await refused(withToken(await signed(privateKey, good(), { alg: 'RS256', kid: 'key-1' })), 'FOREIGN');
  });

  it('has the error FOREIGN when a key signed it that is not published', async () => {
    await refused(withToken(await issuer.sign(good(), { kid: 'key-2' })), 'FOREIGN');
  });

  it('has the error FOREIGN, not EXPIRED, when it has expired and another key signed it', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const expired = good({ exp: inSeconds(-600) });
    await refused(withToken(await signed(privateKey, expired, { alg: 'RS256', kid: 'key-1' })), 'FOREIGN');
  });

  it('has the error FOREIGN when it was changed after it was signed', async () => {
    const [head, , signature] = (await issuer.sign(good())).split('.');
    const body = part(good({ azp: 'client-b', exp: inSeconds(600) }));
    await refused(withToken([head, body, signature].join('.')), 'FOREIGN');
  });

  it('has the error FOREIGN when it names no algorithm of a signature (alg none)', async () => {
    const claims = part(good({ exp: inSeconds(600) }));
    await refused(withToken(`${part({ alg: 'none', typ: 'JWT' })}.${claims}.AA`), 'FOREIGN');
  });

  it("has the error FOREIGN when the issuer's public key signed it as if it were a shared secret (HS256)", async () => {
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicJwk));
    await refused(withToken(await signed(secret, good(), { alg: 'HS256', kid: 'key-1' })), 'FOREIGN');
  });

  it('has the error FOREIGN when the published key signed it by an algorithm that is not agreed (PS256)', async () => {
    const key = (await importJWK(issuer.privateJwk, 'PS256')) as CryptoKey;
    await refused(withToken(await signed(key, good(), { alg: 'PS256', kid: 'key-1' })), 'FOREIGN');
  });

  it.each<[TokenError, string, Record<string, unknown>]>([
    ['EXPIRED', 'expired a second ago', { exp: inSeconds(-1) }],
    ['EXPIRED', 'expired a day ago', { exp: inSeconds(-86_400) }],
    ['MALFORMED', 'has no exp', { exp: undefined }],
    ['MALFORMED', 'has an exp that is no number', { exp: 'tomorrow' }],
    ['MALFORMED', 'has an nbf that is no number', { nbf: 'yesterday' }],
    ['EARLY', 'has an nbf in the future', { nbf: inSeconds(120) }],
    ['FOREIGN', 'is of another issuer', { iss: 'https://sts.windows.net/00000000-0000-0000-0000-000000000000/' }],
    ['FOREIGN', 'is of another issuer and has expired', { iss: 'https://issuer.example', exp: inSeconds(-1) }],
    ['FOREIGN', 'is of an issuer whose name begins with ours', { iss: `${issuerV2}/more` }],
    ['FOREIGN', 'has no issuer', { iss: undefined }],
  ])('has the error %s when it %s', async (fault, _what, claims) => {
    await refused(withToken(await issuer.sign(good(claims))), fault);
  });
});

describe('the message of a 401', () => {
  it.each(Object.entries(tokenErrors))('needs no escape in JSON or a template when the error is %s', (_fault, text) => {
    expect(JSON.stringify(text)).toBe(`"${text}"`);
    expect(text).not.toMatch(/[$#]/u);
  });

  it('is different for each cause', () => {
    expect(new Set(Object.values(tokenErrors)).size).toBe(Object.keys(tokenErrors).length);
  });
});

describe('a token that cannot be verified', () => {
  const failed = async (response: Promise<unknown>, name: string): Promise<void> => {
    await expect(response).rejects.toMatchObject({ name });
  };

  it('fails as IssuerUnavailable when the issuer is down', async () => {
    const stoppedIssuer = await startTestIssuer();
    const token = await stoppedIssuer.sign(good());
    await stoppedIssuer.stop();
    await failed(
      authorizer(stoppedIssuer.jwksUri, store)({ authorizationToken: `Bearer ${token}` }),
      'IssuerUnavailable',
    );
  });

  it.each([
    ['an error', { status: 500, body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['a body that is no JSON', { status: 200, body: '<html>' }],
    ['JSON that is no key set', { status: 200, body: '{"keys":7}' }],
  ])('fails as IssuerUnavailable when the issuer answers %s', async (_what, response) => {
    issuer.respondWith(response);
    const asked = withToken(await issuer.sign(good()));
    await failed(asked, 'IssuerUnavailable');
    await expect(asked).rejects.toThrow(/No usable keys/u);
  });

  it('fails as StoreUnavailable when the table cannot be read', async () => {
    const broken: Store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('down')) };
    const event = { authorizationToken: `Bearer ${await issuer.sign(good())}` };
    await failed(authorizer(issuer.jwksUri, broken)(event), 'StoreUnavailable');
  });

  it('is answered with 403, without a read of the table, when its client id is too long for a key', async () => {
    const broken: Store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('down')) };
    const token = await issuer.sign(good({ azp: 'a'.repeat(5000) }));
    const response = await authorizer(issuer.jwksUri, broken)({ authorizationToken: `Bearer ${token}` });
    expect(response.context).toMatchObject({ refusal: 'NO_CLIENT_ID' });
  });

  it('is accepted when the issuer responds again', async () => {
    const response = authorizer(issuer.jwksUri, store);
    const event = { authorizationToken: `Bearer ${await issuer.sign(good())}` };
    issuer.respondWith({ status: 503, body: '' });
    await failed(response(event), 'IssuerUnavailable');
    issuer.respondWith(undefined);
    expect((await response(event)).context).toMatchObject({ clientId: 'client-a' });
  });
});

describe('the logs', () => {
  it('hold neither token nor claims, and no answer does, whatever becomes of the request', async () => {
    const tokens = [
      await issuer.sign(good({ name: 'Maria' })),
      await issuer.sign(good({ aud: 'api://private', name: 'Maria' })),
      await issuer.sign(good({ azp: 'client-z', name: 'Maria' })),
      await issuer.sign(good({ exp: inSeconds(-90), name: 'Maria' })),
      await issuer.sign(good({ iss: 'https://private.example', name: 'Maria' })),
    ];
    const responses = await Promise.all([...tokens.map(withToken), withToken('no.token.Maria')]);
    const all = [
      ...written,
      JSON.stringify(responses.filter(({ usageIdentifierKey }) => usageIdentifierKey === undefined)),
    ];
    for (const logged of [
      'ALLOWED',
      'DENIED',
      'UNAUTHORIZED',
      'UNKNOWN_CLIENT',
      'ERR_JWT_EXPIRED',
      'EXPIRED',
      'FOREIGN',
    ])
      expect(all.join('\n')).toContain(logged);
    for (const part of ['Maria', 'private', 'client-z', ...tokens.flatMap((token) => token.split('.'))])
      expect(all.join('\n')).not.toContain(part);
  });

  it.each([
    ['ALLOWED', {}],
    ['DENIED', { aud: 'api://other' }],
    ['UNAUTHORIZED', { exp: inSeconds(-90) }],
  ])('count a request once when its outcome is %s', async (outcome, claims) => {
    await withToken(await issuer.sign(good(claims)));
    const counted = written.flatMap((line) => (line.includes('"Authorizations"') ? [JSON.parse(line) as object] : []));
    expect(counted).toMatchObject([{ outcome, Authorizations: 1 }]);
  });
});
