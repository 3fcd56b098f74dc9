import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import type { CryptoKey } from 'jose';
import { generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../support/memory-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { StoreUnavailable } from '#shared/platform/table/store.ts';
import { authorizer, good, storeWithClients, issuerV2 } from './authorizer-harness.ts';
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

describe('401: not a token that the issuer vouches for now', () => {
  const refused = async (token: string): Promise<void> => {
    await expect(withToken(token)).rejects.toThrow(/^Unauthorized$/u);
  };

  it.each([
    ['nothing', undefined],
    ['an empty value', ''],
    ['another scheme', 'Basic Y2xpZW50OnNlY3JldA=='],
    ['no token', 'Bearer '],
    ['something that is no token', 'Bearer abc'],
    ['two parts', 'Bearer abc.def'],
    ['five parts, an encrypted token', 'Bearer a.b.c.d.e'],
    ['parts that are no JSON', 'Bearer abc.def.ghi'],
    ['a token and more', 'Bearer abc.def.ghi, Bearer abc.def.ghi'],
  ])('%s', async (_what, authorizationToken) => {
    await expect(authorizer(issuer.jwksUri, store)({ authorizationToken })).rejects.toThrow(/^Unauthorized$/u);
  });

  it('neither value nor headers', async () => {
    await expect(authorizer(issuer.jwksUri, store)({})).rejects.toThrow(/^Unauthorized$/u);
    await expect(authorizer(issuer.jwksUri, store)({ headers: null })).rejects.toThrow(/^Unauthorized$/u);
  });

  it('signed by another key under the same key id', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    await refused(await signed(privateKey, good(), { alg: 'RS256', kid: 'key-1' }));
  });

  it('signed by a key that is not published', async () => {
    await refused(await issuer.sign(good(), { kid: 'key-2' }));
  });

  it('changed after it was signed', async () => {
    const [head, , signature] = (await issuer.sign(good())).split('.');
    const body = Buffer.from(JSON.stringify(good({ azp: 'client-b', exp: inSeconds(600) }))).toString('base64url');
    await refused([head, body, signature].join('.'));
  });

  it('not signed at all (alg none)', async () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = part(good({ exp: inSeconds(600) }));
    await refused(`${part({ alg: 'none', typ: 'JWT' })}.${claims}.AA`);
    await expect(
      authorizer(issuer.jwksUri, store)({ authorizationToken: `Bearer ${part({ alg: 'none' })}.${claims}.` }),
    ).rejects.toThrow('Unauthorized');
  });

  it("signed with the issuer's public key as if it were a shared secret (HS256)", async () => {
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicJwk));
    await refused(await signed(secret, good(), { alg: 'HS256', kid: 'key-1' }));
  });

  it('signed by the published key, but with an algorithm that is not agreed (PS256)', async () => {
    const key = (await importJWK(issuer.privateJwk, 'PS256')) as CryptoKey;
    await refused(await signed(key, good(), { alg: 'PS256', kid: 'key-1' }));
  });

  it.each([
    ['expired a second ago', { exp: inSeconds(-1) }],
    ['without an end', { exp: undefined }],
    ['with an end that is no number', { exp: 'tomorrow' }],
    ['not valid yet', { nbf: inSeconds(120) }],
    ['of another issuer', { iss: 'https://sts.windows.net/00000000-0000-0000-0000-000000000000/' }],
    ['of an issuer whose name begins with ours', { iss: `${issuerV2}/more` }],
    ['without an issuer', { iss: undefined }],
  ])('%s', async (_what, claims) => {
    await refused(await issuer.sign(good(claims)));
  });
});

describe('what cannot be judged is an error of ours, never a 401', () => {
  const failed = async (answer: Promise<unknown>, name: string): Promise<void> => {
    await expect(answer).rejects.toMatchObject({ name });
  };

  it('the issuer is down', async () => {
    const gone = await startTestIssuer();
    const token = await gone.sign(good());
    await gone.stop();
    await failed(authorizer(gone.jwksUri, store)({ authorizationToken: `Bearer ${token}` }), 'IssuerUnavailable');
  });

  it.each([
    ['an error', { status: 500, body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['something that is no JSON', { status: 200, body: '<html>' }],
    ['JSON that is no key set', { status: 200, body: '{"keys":7}' }],
  ])('the issuer answers %s', async (_what, answer) => {
    issuer.respondWith(answer);
    const asked = withToken(await issuer.sign(good()));
    await failed(asked, 'IssuerUnavailable');
    await expect(asked).rejects.toThrow(/fetched/u);
  });

  it('the table cannot be read', async () => {
    const broken: Store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('down')) };
    const event = { authorizationToken: `Bearer ${await issuer.sign(good())}` };
    await failed(authorizer(issuer.jwksUri, broken)(event), 'StoreUnavailable');
  });

  it('but a client id that cannot be a key is not looked for', async () => {
    const broken: Store = { ...memoryStore(), read: () => Promise.reject(new StoreUnavailable('down')) };
    const token = await issuer.sign(good({ azp: 'a'.repeat(5000) }));
    const answer = await authorizer(issuer.jwksUri, broken)({ authorizationToken: `Bearer ${token}` });
    expect(answer.policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
  });

  it('recovers with the issuer', async () => {
    const answer = authorizer(issuer.jwksUri, store);
    const event = { authorizationToken: `Bearer ${await issuer.sign(good())}` };
    issuer.respondWith({ status: 503, body: '' });
    await failed(answer(event), 'IssuerUnavailable');
    issuer.respondWith(undefined);
    expect((await answer(event)).context).toMatchObject({ clientId: 'client-a' });
  });
});

describe('the logs', () => {
  it('hold neither token nor claims, whatever becomes of the request', async () => {
    const tokens = [
      await issuer.sign(good({ name: 'Maria' })),
      await issuer.sign(good({ aud: 'api://private', name: 'Maria' })),
      await issuer.sign(good({ azp: 'client-z', name: 'Maria' })),
      await issuer.sign(good({ exp: inSeconds(-90), name: 'Maria' })),
      await issuer.sign(good({ iss: 'https://private.example', name: 'Maria' })),
    ];
    const errors: unknown[] = [];
    for (const token of tokens) await withToken(token).catch((error: unknown) => errors.push(error));
    const all = [
      ...written,
      ...errors.map((error) => JSON.stringify({ ...(error as object), cause: (error as Error).cause })),
    ].join('\n');
    expect(errors).toHaveLength(2);
    expect(all).toContain('ALLOWED');
    expect(all).toContain('UNKNOWN_CLIENT');
    expect(all).toContain('ERR_JWT_EXPIRED');
    for (const part of ['Maria', 'private', 'client-z', ...tokens.flatMap((token) => token.split('.'))])
      expect(all).not.toContain(part);
  });
});
