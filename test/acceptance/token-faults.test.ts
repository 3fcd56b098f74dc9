import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWTPayload } from 'jose';
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import type { TestContext } from 'vitest';
import { describe, expect, test } from 'vitest';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { ResetClock } from '#functions/order-tools/reset-clock/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { requestOf } from '@banking-order/partner-tools';
import type { HttpResponse } from '@banking-order/partner-tools';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { noAccess, tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { send } from '../support/client-http.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { callWith, tokenWith } from './issuer-tokens.ts';
import { environment, first } from './partners.ts';

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Asserts a 401 that names this cause, in the body that every error has. */
function faulty(response: HttpResponse, fault: TokenError): void {
  refused(response, 401, []);
  expect(JSON.parse(response.text)).toEqual({ error: 'UNAUTHORIZED', message: tokenErrors[fault], details: [] });
}

const needsTexts = (context: TestContext): void => {
  needs(context, 'denial-texts', 'the cause is a text that the authorizer gives to the gateway');
};
const needsKey = (context: TestContext): void => {
  needs(context, 'signing-key', 'such a token must be signed with the key of the issuer');
};

describe('a 401 names its cause', () => {
  const headers: readonly [TokenError, what: string, authorization: string | undefined][] = [
    ['MISSING', 'no header', undefined],
    ['MISSING', 'an empty header', ''],
    ['MALFORMED', 'another scheme', 'Basic dXNlcjpwYXNz'],
    ['MALFORMED', 'a token without the word Bearer', 'eyJhIjoxfQ.eyJhIjoxfQ.AAAA'],
    ['MALFORMED', 'a token that is none', 'Bearer nonsense'],
    ['MALFORMED', 'no token behind the scheme', 'Bearer '],
    ['MALFORMED', 'three parts that say nothing', 'Bearer a.b.c'],
    ['MALFORMED', 'two tokens', 'Bearer a.b.c d.e.f'],
    ['MALFORMED', 'what would end a text or name a variable', 'Bearer "}$context.requestId\\'],
  ];
  for (const [fault, description, authorization] of headers)
    test(`${fault}: ${description}`, async (context) => {
      needsTexts(context);
      const response = await callWith(authorization);
      faulty(response, fault);
      const error = fault === 'MISSING' ? '' : ', error="invalid_token"';
      expect(response.headers['www-authenticate']).toBe(`Bearer realm="banking-order"${error}`);
    });

  const claims: readonly [TokenError, what: string, changes: JWTPayload][] = [
    ['EXPIRED', 'a token that has ended', { exp: nowSeconds() - 120 }],
    ['EXPIRED', 'a token for another service that has ended', { exp: nowSeconds() - 120, aud: 'api://another' }],
    ['EARLY', 'a token that is not valid yet', { nbf: nowSeconds() + 3600 }],
    ['FOREIGN', 'a token that names another issuer', { iss: 'https://issuer.example.com' }],
  ];
  for (const [fault, description, changes] of claims)
    test(`${fault}: ${description}`, async (context) => {
      needsTexts(context);
      needsKey(context);
      faulty(await callWith(`Bearer ${await tokenWith(changes)}`), fault);
    });

  test('FOREIGN: a token that was signed with another key, expired or not', async (context) => {
    needsTexts(context);
    const token = await first.token();
    const { kid } = decodeProtectedHeader(token);
    const { privateKey } = await generateKeyPair('RS256');
    const sign = (changes: JWTPayload, name: string | undefined): Promise<string> =>
      new SignJWT({ ...decodeJwt(token), ...changes })
        .setProtectedHeader({ alg: 'RS256', ...(name !== undefined && { kid: name }) })
        .sign(privateKey);
    const expired = { exp: nowSeconds() - 120 };
    const forged = [await sign({}, kid), await sign(expired, kid), await sign({}, randomUUID())];
    for (const one of forged) faulty(await callWith(`Bearer ${one}`), 'FOREIGN');
  });
});

describe('the gateway’s cached result for a token', () => {
  test('ends with the token: it has expired from then on', async (context) => {
    needsKey(context);
    // The function has started before the token's seconds begin.
    await callWith(`Bearer ${await first.token()}`);
    const token = `Bearer ${await tokenWith({ exp: nowSeconds() + 4 })}`;
    expect((await callWith(token)).status).toBe(404);
    const endMs = Number(decodeJwt(token.slice('Bearer '.length)).exp) * 1000;
    await sleep(endMs - Date.now() + 50);
    faulty(await callWith(token), 'EXPIRED');
  });

  test('is of that token alone: one that is refused harms no other', async (context) => {
    needsTexts(context);
    const good = `Bearer ${await first.token()}`;
    const bad = `${good.slice(0, -8)}${good.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA'}`;
    for (const [token, status] of [
      [bad, 401],
      [good, 404],
      [bad, 401],
      [good, 404],
    ] as const)
      expect((await callWith(token)).status).toBe(status);
    faulty(await callWith(bad), 'FOREIGN');
  });
});

test('a token for another service is answered with 403 before the request is looked at', async (context) => {
  needsKey(context);
  const authorization = `Bearer ${await tokenWith({ aud: 'api://another' })}`;
  // Of all routes test/platform/http/refused-callers.test.ts asks their functions.
  for (const contract of [ListAccounts, CreatePayout, ReplaceWebhookSettings, ResetClock]) {
    const request = requestOf(contract, { body: { unknown: true } });
    const response = await send(environment.baseUrl, { ...request, headers: { ...request.headers, authorization } });
    expect(refused(response, 403, [], contract.operationId).message).toBe(noAccess);
  }
});
