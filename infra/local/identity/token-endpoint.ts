import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { readFileSync } from 'node:fs';
import type { ClientRegistry } from '#infra/operator/client-registry.ts';
import { replaceFile } from '#infra/operator/local-environment.ts';

/** The issuer's RS256 key: the private half signs, the public half is published. */
type SigningKey = {
  readonly id: string;
  readonly sign: CryptoKey;
  readonly published: JWK;
};

/** Reads the key kept in the file, or makes one: tokens of an earlier run stay valid. */
export async function openSigningKey(file: string): Promise<SigningKey> {
  const jwk = readKey(file) ?? (await makeKey(file));
  const { kty = 'RSA', n = '', e = '' } = jwk;
  const id = await calculateJwkThumbprint({ kty, n, e });
  const sign = (await importJWK(jwk, 'RS256')) as CryptoKey;
  return { id, sign, published: { kty, n, e, kid: id, use: 'sig', alg: 'RS256' } };
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

export type IssuerSettings = {
  /** `iss` of the tokens and base of the published documents, without a slash at the end. */
  readonly issuer: string;
  /** Base URL at which clients reach the issuer. */
  readonly baseUrl: string;
  /** `aud` of the tokens (`api://app-order-hml`); the scope asked for is this with `/.default`. */
  readonly audience: string;
  readonly tokenSeconds: number;
};

type TokenAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** One tenant, as Microsoft Entra names the directory in `tid`. */
const tenant = '00000000-0000-4000-8000-000000000001';

type TokenRequest = {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
};

/**
 * Client credentials grant (RFC 6749 4.4), with the claims of a Microsoft Entra token: audience in `aud`, client in
 * `azp` and `appid`. The client may authenticate in the form or by HTTP Basic (RFC 6749 2.3.1). Errors as RFC 6749 5.2.
 */
export async function issueToken(
  settings: IssuerSettings,
  key: SigningKey,
  registry: ClientRegistry,
  request: TokenRequest,
): Promise<TokenAnswer> {
  if (request.contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    return tokenError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  const form = new URLSearchParams(request.body);
  const repeated = [...new Set(form.keys())].find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) return tokenError('invalid_request', 'A parameter is repeated.');
  const grant = form.get('grant_type');
  if (grant === null || grant === '') return tokenError('invalid_request', 'grant_type is missing.');
  if (grant !== 'client_credentials')
    return tokenError('unsupported_grant_type', 'Only client_credentials is supported.');
  const credentials = basicCredentials(request.authorization) ?? {
    id: form.get('client_id') ?? '',
    secret: form.get('client_secret') ?? '',
  };
  if (credentials.id === '') return tokenError('invalid_request', 'client_id is missing.');
  if (!(await registry.verify(credentials.id, credentials.secret)))
    return tokenError('invalid_client', 'Unknown client or wrong secret.', 401);
  const scope = form.get('scope');
  if (scope === null || scope === '') return tokenError('invalid_request', 'scope is missing.');
  if (scope !== `${settings.audience}/.default`)
    return tokenError('invalid_scope', `The scope must be ${settings.audience}/.default.`);
  return {
    status: 200,
    headers: notStored,
    body: {
      token_type: 'Bearer',
      expires_in: settings.tokenSeconds,
      access_token: await signToken(settings, key, credentials.id),
    },
  };
}

/** Tokens and errors about them are not to be cached (RFC 6749 5.1). */
const notStored = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

function tokenError(error: string, description: string, status = 400): TokenAnswer {
  return {
    status,
    headers: { ...notStored, ...(status === 401 && { 'WWW-Authenticate': 'Basic realm="token"' }) },
    body: { error, error_description: description },
  };
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

async function signToken(settings: IssuerSettings, key: SigningKey, clientId: string): Promise<string> {
  return new SignJWT({ azp: clientId, appid: clientId, tid: tenant })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.id })
    .setIssuer(settings.issuer)
    .setAudience(settings.audience)
    .setSubject(clientId)
    .setIssuedAt()
    .setNotBefore('0s')
    .setExpirationTime(`${settings.tokenSeconds}s`)
    .sign(key.sign);
}

/** OpenID Connect Discovery 1.0, as far as client credentials need it. */
export function discoveryDocument({ issuer, baseUrl }: IssuerSettings): Readonly<Record<string, unknown>> {
  return {
    issuer,
    token_endpoint: `${baseUrl}/oauth2/v2.0/token`,
    jwks_uri: `${baseUrl}/discovery/v2.0/keys`,
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    response_types_supported: ['token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}
