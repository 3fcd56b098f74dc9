import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { ClientRegistry } from '#infra/operator/client-registry.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import { jsonResponse } from '../api/http-server.ts';
import type { HttpResponse } from '../api/proxy-integration.ts';

/** The issuer's RS256 key: the private half signs, the public half is published. */
type SigningKey = Awaited<ReturnType<typeof openSigningKey>>;

/** Reads the key kept in the file, or makes one: tokens of an earlier run stay valid. */
export async function openSigningKey(file: string) {
  const jwk = readKey(file) ?? (await makeKey(file));
  const { kty = 'RSA', n = '', e = '' } = jwk;
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const sign = (await importJWK(jwk, 'RS256')) as CryptoKey;
  return { sign, published: { kty, n, e, kid, use: 'sig', alg: 'RS256' } };
}

function readKey(file: string): JWK | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JWK;
  } catch {
    return undefined;
  }
}

async function makeKey(file: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  replaceFile(file, JSON.stringify(jwk));
  return jwk;
}

type Issuer = {
  /** `iss` of the tokens. */
  readonly issuer: string;
  /** `aud` of the tokens (`api://app-order-hml`); the requested scope is this with `/.default`. */
  readonly audience: string;
  readonly key: SigningKey;
  readonly registry: ClientRegistry;
};

/** An hour, as Microsoft Entra's access tokens live at least. */
const tokenSeconds = 3600;
/** One tenant, as Microsoft Entra names the directory in `tid`. */
const tenant = '00000000-0000-4000-8000-000000000001';

/**
 * Client credentials grant (RFC 6749 4.4), with the claims of a Microsoft Entra token: audience in `aud`, client in
 * `azp` and `appid`. The client may authenticate in the form or by HTTP Basic (RFC 6749 2.3.1). Errors as RFC 6749 5.2.
 */
export async function issueToken(
  issuer: Issuer,
  { authorization, 'content-type': contentType }: IncomingHttpHeaders,
  body: string,
): Promise<HttpResponse> {
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    return tokenError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  const form = new URLSearchParams(body);
  if (new Set(form.keys()).size < form.size) return tokenError('invalid_request', 'A parameter is repeated.');
  const grant = form.get('grant_type') ?? '';
  if (grant === '') return tokenError('invalid_request', 'grant_type is missing.');
  if (grant !== 'client_credentials')
    return tokenError('unsupported_grant_type', 'Only client_credentials is supported.');
  const { id, secret } = basicCredentials(authorization) ?? {
    id: form.get('client_id') ?? '',
    secret: form.get('client_secret') ?? '',
  };
  if (id === '') return tokenError('invalid_request', 'client_id is missing.');
  if (!(await issuer.registry.verify(id, secret)))
    return tokenError('invalid_client', 'Unknown client or wrong secret.', 401);
  const scope = form.get('scope') ?? '';
  if (scope === '') return tokenError('invalid_request', 'scope is missing.');
  if (scope !== `${issuer.audience}/.default`)
    return tokenError('invalid_scope', `The scope must be ${issuer.audience}/.default.`);
  const token = { token_type: 'Bearer', expires_in: tokenSeconds, access_token: await signToken(issuer, id) };
  return jsonResponse(200, token, notStored);
}

/** Tokens and errors about them are not to be cached (RFC 6749 5.1). */
const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

function tokenError(error: string, description: string, status = 400): HttpResponse {
  const challenge = status === 401 && { 'WWW-Authenticate': 'Basic realm="token"' };
  return jsonResponse(status, { error, error_description: description }, { ...notStored, ...challenge });
}

function basicCredentials(authorization: string | undefined): { id: string; secret: string } | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { id: decodeForm(id), secret: decodeForm(secret.join(':')) };
}

/** RFC 6749 2.3.1: id and secret are form-encoded before they are joined. */
function decodeForm(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? '';
}

function signToken({ issuer, audience, key }: Issuer, clientId: string): Promise<string> {
  return new SignJWT({ azp: clientId, appid: clientId, tid: tenant })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.published.kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(clientId)
    .setIssuedAt()
    .setNotBefore('0s')
    .setExpirationTime(`${tokenSeconds}s`)
    .sign(key.sign);
}
