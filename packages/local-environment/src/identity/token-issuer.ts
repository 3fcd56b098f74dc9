import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { ClientRegistry } from '#infra/operator/client-registry.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';
import type { Gateway, SideRoutes, HttpResponse } from '@banking-order/cdk-local';
import { jsonResponse as json, listen } from '@banking-order/cdk-local';

export const tokenPath = '/oauth2/v2.0/token';
export const keysPath = '/discovery/v2.0/keys';
const discoveryPath = '/.well-known/openid-configuration';
const formLimitBytes = 16 * 1024;

type IssuerOptions = {
  /** Base URL of the issuer, also its `iss`. */
  readonly baseUrl: string;
  readonly audience: string;
  /** File of the signing key. A missing file is created with a new key. */
  readonly keyFile: string;
  readonly registry: ClientRegistry;
};

/** Returns the routes that add the issuer to an existing server. */
export async function createTokenIssuer({ baseUrl, audience, keyFile, registry }: IssuerOptions): Promise<SideRoutes> {
  const key = await openSigningKey(keyFile);
  /** OpenID Connect Discovery 1.0, as far as client credentials need it. */
  const discovery = {
    issuer: baseUrl,
    token_endpoint: `${baseUrl}${tokenPath}`,
    jwks_uri: `${baseUrl}${keysPath}`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    response_types_supported: ['token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  return ({ url = '', method, headers }) => {
    const [path] = url.split('?');
    if (path === tokenPath && method === 'POST')
      return async (body) => {
        if (body.length > formLimitBytes)
          return json(413, { error: 'invalid_request', error_description: 'The form is too large.' });
        return issueToken({ issuer: baseUrl, audience, key, registry }, headers, body.toString('utf8'));
      };
    if (path === tokenPath) return () => json(405, { error: 'invalid_request' }, { Allow: 'POST' });
    if (method === 'GET' && path === keysPath) return () => json(200, { keys: [key.published] });
    if (method === 'GET' && path === discoveryPath) return () => json(200, discovery);
    return undefined;
  };
}

/** Stands in for the API on a server that runs only the issuer. It serves no path. */
const noApi: Gateway = {
  handle: () => Promise.resolve(json(404, { error: 'not_found' })),
  refuse: (_type, _request, status = 400) => json(status, { error: 'invalid_request' }),
};

/** Starts the issuer on a server of its own, for tests of a deployed system. @param options.port 0: any free port. */
export async function startTokenIssuer({
  port,
  ...options
}: Omit<IssuerOptions, 'baseUrl'> & { readonly port: number }) {
  const { baseUrl, serve, stop } = await listen(port);
  serve(noApi, [await createTokenIssuer({ ...options, baseUrl })]);
  return { baseUrl, tokenUrl: `${baseUrl}${tokenPath}`, jwksUri: `${baseUrl}${keysPath}`, stop };
}

/** The issuer's RS256 key: the private half signs, the public half is published. */
type SigningKey = Awaited<ReturnType<typeof openSigningKey>>;

/**
 * Reads the key from the file. If there is none, creates one and stores it, so that tokens of an earlier run stay
 * valid.
 */
async function openSigningKey(file: string) {
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
  /** `aud` of the tokens (`api://app-order-hml`). The requested scope must be this value followed by `/.default`. */
  readonly audience: string;
  readonly key: SigningKey;
  readonly registry: ClientRegistry;
};

/** One hour: access tokens of Microsoft Entra are valid for at least as long. */
const tokenSeconds = 3600;
/** The only tenant. In the tokens of Microsoft Entra, `tid` names the directory. */
const tenant = '00000000-0000-4000-8000-000000000001';

/**
 * Client credentials grant (RFC 6749 4.4), with the claims of a Microsoft Entra token: audience in `aud`, client in
 * `azp` and `appid`. The client may authenticate in the form or by HTTP Basic (RFC 6749 2.3.1). Errors as RFC 6749 5.2.
 */
async function issueToken(
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
  return json(200, token, notStored);
}

/** Responses with a token or a token error must not be cached (RFC 6749 5.1). */
const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

function tokenError(error: string, description: string, status = 400): HttpResponse {
  const challenge = status === 401 && { 'WWW-Authenticate': 'Basic realm="token"' };
  return json(status, { error, error_description: description }, { ...notStored, ...challenge });
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
