import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JWK, JWTPayload } from 'jose';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import type { HttpResponse } from '@banking-order/partner-tools';
import { send } from '../support/client-http.ts';
import { environment, first } from './partners.ts';

/** Asks for a subscription that does not exist, with the caller's own `authorization` header: 404 if it is good. */
export const callWith = (authorization?: string): Promise<HttpResponse> =>
  send(environment.baseUrl, {
    method: 'GET',
    path: `/order/v1/banking/subscriptions/${randomUUID()}`,
    headers: authorization === undefined ? {} : { authorization },
  });

/** The claims of a real token with changes, signed with the issuer's own key. Needs `signing-key`. */
export async function tokenWith(changes: JWTPayload): Promise<string> {
  const real = await first.token();
  const { kid } = decodeProtectedHeader(real);
  const jwk = JSON.parse(readFileSync(environment.signingKeyFile ?? '', 'utf8')) as JWK;
  return new SignJWT({ ...decodeJwt(real), ...changes })
    .setProtectedHeader({ alg: 'RS256', ...(kid && { kid }) })
    .sign(await importJWK(jwk, 'RS256'));
}
