import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClientRegistry } from '#infra/operator/client-registry.ts';
import { startTokenIssuer } from '#local-environment/identity/token-issuer.ts';

const folder = mkdtempSync(join(tmpdir(), 'issuer-'));
const clientsFile = join(folder, 'clients.json');
const registry = openClientRegistry(clientsFile);
const audience = 'api://app-order-hml';
const start = () => startTokenIssuer({ port: 0, audience, keyFile: join(folder, 'key.json'), registry });
let issuer: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  await registry.register('client-1', 'secret-1');
  issuer = await start();
});
afterAll(async () => {
  await issuer.stop();
  rmSync(folder, { recursive: true });
});

const form = {
  grant_type: 'client_credentials',
  client_id: 'client-1',
  client_secret: 'secret-1',
  scope: `${audience}/.default`,
};

async function ask(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(issuer.tokenUrl, { method: 'POST', body: new URLSearchParams(fields), headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, string>,
  };
}

describe('the local token issuer', () => {
  test('issues a token that verifies against its published keys and names the client', async () => {
    const { status, body, headers } = await ask(form);
    expect([status, body['token_type'], body['expires_in']]).toEqual([200, 'Bearer', 3600]);
    expect(headers.get('cache-control')).toBe('no-store');
    const keys = createRemoteJWKSet(new URL(issuer.jwksUri));
    const { payload, protectedHeader } = await jwtVerify(body['access_token'] ?? '', keys, {
      issuer: issuer.baseUrl,
      audience,
    });
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload).toMatchObject({ azp: 'client-1', appid: 'client-1', sub: 'client-1', tid: expect.any(String) });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(payload.nbf).toBe(payload.iat);
  });

  test('a client may authenticate by HTTP Basic', async () => {
    const { client_id: id, client_secret: secret, ...rest } = form;
    const authorization = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${secret}`).toString('base64')}`;
    expect((await ask(rest, { authorization })).status).toBe(200);
  });

  test.each([
    ['a wrong secret', { ...form, client_secret: 'guess' }, 401, 'invalid_client'],
    ['no secret', { ...form, client_secret: '' }, 401, 'invalid_client'],
    ['an unknown client', { ...form, client_id: 'constructor' }, 401, 'invalid_client'],
    ['no client', { ...form, client_id: '' }, 400, 'invalid_request'],
    ['another grant', { ...form, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no grant', { ...form, grant_type: '' }, 400, 'invalid_request'],
    ['another scope', { ...form, scope: 'openid' }, 400, 'invalid_scope'],
    ['no scope', { ...form, scope: '' }, 400, 'invalid_request'],
  ])('%s is refused: %j', async (_what, fields, status, error) => {
    const refused = await ask(fields);
    expect([refused.status, refused.body['error']]).toEqual([status, error]);
    expect(refused.body).not.toHaveProperty('access_token');
  });

  test('a repeated parameter, another content type and another method are refused', async () => {
    const repeated = await fetch(issuer.tokenUrl, {
      method: 'POST',
      body: new URLSearchParams([...Object.entries(form), ['scope', 'x']]),
    });
    expect(await repeated.json()).toMatchObject({ error: 'invalid_request' });
    const json = await fetch(issuer.tokenUrl, {
      method: 'POST',
      body: JSON.stringify(form),
      headers: { 'content-type': 'application/json' },
    });
    expect([json.status, await json.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    expect((await fetch(issuer.tokenUrl)).status).toBe(405);
  });

  test('the discovery document leads to token endpoint and keys', async () => {
    const document = await (await fetch(`${issuer.baseUrl}/.well-known/openid-configuration`)).json();
    expect(document).toMatchObject({
      issuer: issuer.baseUrl,
      token_endpoint: issuer.tokenUrl,
      jwks_uri: issuer.jwksUri,
    });
  });

  test('the private half of the key is not published', async () => {
    const { keys } = (await (await fetch(issuer.jwksUri)).json()) as { keys: Record<string, unknown>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]!).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  test('key and clients survive a restart: a token of before is still good', async () => {
    const { body } = await ask(form);
    const again = await start();
    try {
      await jwtVerify(body['access_token'] ?? '', createRemoteJWKSet(new URL(again.jwksUri)), { audience });
    } finally {
      await again.stop();
    }
  });

  test('the file of clients holds no secret and is the owner’s alone', () => {
    expect(readFileSync(clientsFile, 'utf8')).not.toContain('secret-1');
    expect(statSync(clientsFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'key.json')).mode & 0o777).toBe(0o600);
  });
});
