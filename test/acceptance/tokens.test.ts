import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { routes } from '#functions/routes.ts';
import { requestOf, tokenRequest, readError } from '@banking-order/partner-tools';
import { send } from '../support/client-http.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { callWith, tokenWith } from './issuer-tokens.ts';
import { environment, first } from './partners.ts';

const credentials = { client_id: first.clientId, client_secret: first.clientSecret };
const grant = { grant_type: 'client_credentials', scope: environment.scope, ...credentials };
const params = { id: randomUUID() };

describe('the token endpoint', () => {
  test('gives a bearer token for client credentials', async () => {
    const { status, text } = await send(...tokenRequest(environment.tokenUrl, grant));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) });
  });

  test.each([
    ['a wrong secret', { client_secret: 'wrong' }],
    ['an unknown client', { client_id: randomUUID() }],
    ['another grant type', { grant_type: 'password' }],
    ['another scope', { scope: 'api://another/.default' }],
    ['empty fields', { grant_type: '', client_id: '', client_secret: '', scope: '' }],
  ])('gives no token for %s', async (_what, changes) => {
    const { status, text } = await send(...tokenRequest(environment.tokenUrl, { ...grant, ...changes }));
    expect([400, 401]).toContain(status);
    expect(text).not.toContain('access_token');
  });
});

describe('every route', () => {
  test.each(routes.map(({ contract }) => contract))('$method $path requires a token', async (contract) => {
    const names = [...contract.path.matchAll(/\{([^}]+)\}/gu)].map(([, name]) => name ?? '');
    const ids = Object.fromEntries(names.map((name) => [name, randomUUID()]));
    const request = requestOf(contract, { params: ids, body: {} });
    for (const headers of [{}, { authorization: 'Bearer a.b.c' }]) {
      const response = await send(environment.baseUrl, { ...request, headers: { ...request.headers, ...headers } });
      refused(response, 401);
    }
  });
});

describe('a request without a valid token', () => {
  test.each([
    ['no Authorization header', undefined],
    ['an empty Authorization header', ''],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['a text that is no token', 'Bearer nonsense'],
    ['no token after the scheme', 'Bearer '],
    ['two tokens', 'Bearer a.b.c d.e.f'],
  ])('is answered with 401 and the error body when it has %s', async (_what, authorization) => {
    refused(await callWith(authorization), 401);
  });

  test('gets UNAUTHORIZED in the same body and headers as every other error', async (context) => {
    needs(context, 'gateway-responses', 'the gateway creates the body of a refused token');
    const response = await callWith();
    expect(readError(response)).toMatchObject({ error: 'UNAUTHORIZED', details: [] });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['link']).toBe('</docs/errors/401>; rel="help"');
    expect(response.headers['www-authenticate']).toBe('Bearer realm="banking-order"');
    expect(response.headers).not.toHaveProperty('x-caller-request-id');
  });

  test('gets its own request id back on the answer of the gateway too', async (context) => {
    needs(context, 'gateway-responses', 'a refused token is answered by the gateway');
    const id = randomUUID();
    const response = await send(environment.baseUrl, {
      method: 'GET',
      path: '/order/v1/webhook',
      headers: { 'x-request-id': id },
    });
    refused(response, 401);
    expect(response.headers['x-caller-request-id']).toBe(id);
  });

  test('is refused when a character of the token was changed', async () => {
    const token = await first.token();
    const [head = '', claims = '', signature = ''] = token.split('.');
    const { azp: _azp, ...others } = decodeJwt(token);
    const forged = Buffer.from(JSON.stringify({ ...others, azp: randomUUID() })).toString('base64url');
    const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    for (const bad of [
      [head, forged, signature],
      [head, claims, flipped],
      [head, claims, ''],
    ])
      refused(await callWith(`Bearer ${bad.join('.')}`), 401);
  });

  test('is refused when the token is unsigned (alg none), or signed with the public key as a shared secret (HS256)', async () => {
    const token = await first.token();
    const claims = decodeJwt(token);
    const { kid } = decodeProtectedHeader(token);
    const none = [{ alg: 'none', kid }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
    refused(await callWith(`Bearer ${none.join('.')}.`), 401);
    const { publicKey } = await generateKeyPair('RS256', { extractable: true });
    const secret = Buffer.from(JSON.stringify(await exportJWK(publicKey)));
    const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...(kid && { kid }) }).sign(secret);
    refused(await callWith(`Bearer ${symmetric}`), 401);
  });

  test('is refused when the token is signed with another private key', async () => {
    const token = await first.token();
    const { privateKey } = await generateKeyPair('RS256');
    const { kid } = decodeProtectedHeader(token);
    const forged = await new SignJWT(decodeJwt(token))
      .setProtectedHeader({ alg: 'RS256', ...(kid && { kid }) })
      .sign(privateKey);
    refused(await callWith(`Bearer ${forged}`), 401);
  });
});

describe('a token of the issuer', () => {
  const seconds = Math.floor(Date.now() / 1000);

  const cases: readonly [what: string, status: number, changes: JWTPayload][] = [
    ['has expired', 401, { exp: seconds - 120 }],
    ['is not valid yet', 401, { nbf: seconds + 3600 }],
    ['names another issuer', 401, { iss: 'https://issuer.example.com' }],
    ['is for another service', 403, { aud: 'api://another' }],
    ['is for a service whose name begins like ours', 403, { aud: 'api://app-order-hml2', scp: 'api://app-order-hml2' }],
    ['belongs to a client of no company', 403, { azp: randomUUID(), appid: randomUUID() }],
    ['names the service in its scope', 404, { aud: 'other', scope: 'openid api://app-order-hml' }],
    ['names a permission of the service in its roles', 404, { aud: 'other', roles: ['api://app-order-hml/orders'] }],
  ];
  for (const [description, status, changes] of cases)
    test(`is answered with ${status} when it ${description}`, async (context) => {
      needs(context, 'signing-key', `a token that ${description} must be signed with the key of the issuer`);
      expect((await callWith(`Bearer ${await tokenWith(changes)}`)).status).toBe(status);
    });

  test('gets FORBIDDEN_ERROR in the error body when it is for another service', async (context) => {
    needs(context, 'signing-key', 'a token for another service must be signed with the key of the issuer');
    const response = await callWith(`Bearer ${await tokenWith({ aud: 'api://another' })}`);
    expect(readError(response)).toMatchObject({ error: 'FORBIDDEN_ERROR', details: [] });
  });
});

test('an error leads to the page of its status, and of its issue when it has one', async () => {
  const unknown = await first.refused(GetSubscription, { params });
  expect(unknown.received.headers['link']).toBe('</docs/errors/404>; rel="help"');
  const malformed = await first.refused(GetSubscription, { params: { id: 'no-uuid' } });
  expect(malformed.received.headers['link']).toBe('</docs/errors/invalid_format>; rel="help"');
});

test('an own request id comes back when it is a UUID, and a new one when it is not', async () => {
  const id = randomUUID();
  const own = await first.refused(GetSubscription, { params, headers: { 'x-request-id': id } });
  expect(own.received.headers['x-request-id']).toBe(id);
  const other = await first.refused(GetSubscription, { params, headers: { 'x-request-id': 'mine' } });
  expect(other.received.headers['x-request-id']).not.toBe('mine');
});
