import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '#shared/platform/table/store.ts';
import {
  application,
  authorizer,
  good,
  scope,
  stage,
  storeWithClients,
  tenant,
  issuerV1,
  issuerV2,
} from './authorizer-harness.ts';
import type { TestIssuer } from './authorizer-issuer.ts';
import { inSeconds, startTestIssuer } from './authorizer-issuer.ts';

let issuer: TestIssuer;
let store: Store;

beforeAll(async () => {
  issuer = await startTestIssuer();
  store = await storeWithClients();
});
afterAll(() => issuer.stop());
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

const withToken = (token: string): Promise<APIGatewayAuthorizerResult> =>
  authorizer(issuer.jwksUri, store)({ authorizationToken: `Bearer ${token}` });

/** `Allow` for a caller of a company, else why the token gives no access. */
async function accessOf(claims: Record<string, unknown>): Promise<unknown> {
  const { policyDocument, context } = await withToken(await issuer.sign(good(claims)));
  return context?.['refusal'] ?? policyDocument.Statement[0]?.Effect;
}

describe('a good token', () => {
  it('opens every method of the stage, because the answer is kept for the token and not for the route', async () => {
    const exp = inSeconds(600);
    expect(await withToken(await issuer.sign(good({ exp })))).toEqual({
      principalId: 'client-a',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stage}/*` }],
      },
      context: { companyId: 'company-a', clientId: 'client-a', expiresAt: String(exp) },
      usageIdentifierKey: 'company-a',
    });
  });

  it('is counted under the company, or under the API key that its client names', async () => {
    const response = await withToken(await issuer.sign(good({ azp: 'client-metered' })));
    expect(response).toMatchObject({ usageIdentifierKey: 'usage-key-1', context: { clientId: 'client-metered' } });
  });

  it.each(['Authorization', 'authorization'])('is also read from the header %s of a REQUEST event', async (name) => {
    const response = await authorizer(
      issuer.jwksUri,
      store,
    )({ headers: { [name]: `bearer ${await issuer.sign(good())}` } });
    expect(response.context).toMatchObject({ companyId: 'company-a' });
  });

  it('may be signed with ES256', async () => {
    const elliptic = await startTestIssuer('ES256');
    const event = { authorizationToken: `Bearer ${await elliptic.sign(good())}` };
    expect((await authorizer(elliptic.jwksUri, store)(event)).context).toMatchObject({ companyId: 'company-a' });
    await elliptic.stop();
  });

  it('may begin up to half a minute ahead of our clock, since the issuer has its own', async () => {
    expect(await accessOf({ nbf: inSeconds(15), iat: inSeconds(15) })).toBe('Allow');
  });

  it("costs one request for the issuer's keys, however many tokens follow", async () => {
    const response = authorizer(issuer.jwksUri, store);
    const before = issuer.fetches();
    for (let time = 0; time < 3; time += 1)
      await response({ authorizationToken: `Bearer ${await issuer.sign(good())}` });
    expect(issuer.fetches() - before).toBe(1);
  });
});

describe('tokens of Microsoft Entra', () => {
  it('are accepted in version 1 (audience as URI, client in appid)', async () => {
    const v1 = {
      iss: issuerV1,
      aud: scope,
      appid: 'client-a',
      azp: undefined,
      ver: '1.0',
      tid: tenant,
      roles: ['Orders.All'],
    };
    expect(await accessOf(v1)).toBe('Allow');
  });

  it('are accepted in version 2 (audience as application id, client in azp)', async () => {
    const v2 = { iss: issuerV2, aud: application, azp: 'client-a', azpacr: '1', ver: '2.0', tid: tenant };
    expect(await accessOf(v2)).toBe('Allow');
  });
});

describe('an authentic token that is answered with 403', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['OTHER_AUDIENCE', 'is for another service', { aud: 'api://other' }],
    ['OTHER_AUDIENCE', 'has no audience', { aud: undefined }],
    ['OTHER_AUDIENCE', 'is for a service whose name begins with ours', { aud: 'api://app-order-hmlx' }],
    ['OTHER_AUDIENCE', 'is for our service in another environment', { aud: 'api://app-order-prod' }],
    ['OTHER_AUDIENCE', 'has a scope that begins with ours', { aud: 'x', scope: 'api://app-order-hmlx' }],
    ['OTHER_AUDIENCE', 'has a scope that contains ours', { aud: 'x', scope: 'xapi://app-order-hml' }],
    ['OTHER_AUDIENCE', 'has a role that begins with ours', { aud: 'x', roles: ['api://app-order-hmlx/.default'] }],
    [
      'OTHER_AUDIENCE',
      'has scopes and roles of other types',
      { aud: 'x', scope: 7, scp: { a: scope }, roles: [7, null] },
    ],
    ['UNKNOWN_CLIENT', 'belongs to an unknown client', { azp: 'client-z' }],
    ['DISABLED_CLIENT', 'belongs to a disabled client', { azp: 'client-shut' }],
    ['NO_CLIENT_ID', 'has no client id', { azp: undefined }],
    ['NO_CLIENT_ID', 'has a client id that is a number', { azp: 7, appid: 'client-a' }],
    ['NO_CLIENT_ID', 'has an empty client id', { azp: '' }],
    ['NO_CLIENT_ID', 'has a client id of 5000 characters', { azp: 'a'.repeat(5000) }],
  ])('is refused as %s when it %s', async (refusal, _what, claims) => {
    expect(await accessOf(claims)).toBe(refusal);
  });

  it('reaches the endpoints, which refuse it: without company, client and key of a usage plan', async () => {
    const exp = inSeconds(600);
    for (const claims of [{ aud: 'x' }, { azp: 'client-shut' }])
      expect(await withToken(await issuer.sign(good({ ...claims, exp })))).toEqual({
        principalId: 'denied',
        policyDocument: {
          Version: '2012-10-17',
          Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stage}/*` }],
        },
        context: { refusal: expect.stringMatching(/^[A-Z_]+$/u) as string, expiresAt: String(exp) },
      });
  });
});

describe('a token is accepted as one for this service', () => {
  it.each<[string, Record<string, unknown>]>([
    ['aud is our URI', { aud: scope }],
    ['aud is our application id', { aud: application }],
    ['aud lists our URI among others', { aud: ['api://other', scope] }],
    ['scope has our scope among others', { aud: 'x', scope: `openid ${scope} profile` }],
    ['scope has a part of our scope', { aud: 'x', scope: `${scope}/orders` }],
    ['scope is an array', { aud: 'x', scope: ['openid', scope] }],
    ['scp is text', { aud: 'x', scp: `${scope}/.default` }],
    ['scp is an array', { aud: 'x', scp: [scope] }],
    ['roles has our scope', { aud: undefined, roles: ['Reader', scope] }],
    ['roles has a part of our scope', { aud: 'x', roles: [`${scope}/writer`] }],
  ])('when %s', async (_what, claims) => {
    expect(await accessOf(claims)).toBe('Allow');
  });
});

describe('the client id of a token', () => {
  it.each([
    [
      'is azp when the token has azp, appid and client_id',
      { azp: 'client-a', appid: 'client-z', client_id: 'client-z' },
    ],
    ['is appid when the token has no azp', { azp: undefined, appid: 'client-a', client_id: 'client-z' }],
    ['is client_id when the token has neither azp nor appid', { azp: undefined, client_id: 'client-a' }],
  ])('%s', async (_what, claims) => {
    expect(await accessOf(claims)).toBe('Allow');
  });
});
