import type { ClientRegistry } from '#infra/operator/client-registry.ts';
import type { Gateway } from '../api/gateway.ts';
import type { SideRoutes } from '../api/http-server.ts';
import { jsonResponse as json, listen } from '../api/http-server.ts';
import { issueToken, openSigningKey } from './token-endpoint.ts';

export const tokenPath = '/oauth2/v2.0/token';
export const keysPath = '/discovery/v2.0/keys';
const discoveryPath = '/.well-known/openid-configuration';
const formLimitBytes = 16 * 1024;

type IssuerOptions = {
  /** Base URL of the issuer, also its `iss`. */
  readonly baseUrl: string;
  readonly audience: string;
  /** File of the signing key; made when absent. */
  readonly keyFile: string;
  readonly registry: ClientRegistry;
};

/** The issuer as routes of an existing server. */
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

/** A server of the issuer has no API behind it. */
const noApi: Gateway = {
  handle: () => Promise.resolve(json(404, { error: 'not_found' })),
  refuse: (_type, _request, status = 400) => json(status, { error: 'invalid_request' }),
};

/**
 * The issuer on a server of its own, for tests of a deployed system.
 *
 * @param options.port 0 for any free one.
 */
export async function startTokenIssuer({
  port,
  ...options
}: Omit<IssuerOptions, 'baseUrl'> & { readonly port: number }) {
  const { baseUrl, serve, stop } = await listen(port);
  serve(noApi, [await createTokenIssuer({ ...options, baseUrl })]);
  return { baseUrl, tokenUrl: `${baseUrl}${tokenPath}`, jwksUri: `${baseUrl}${keysPath}`, stop };
}
