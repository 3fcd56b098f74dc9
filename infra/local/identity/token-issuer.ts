import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { ClientRegistry } from '#infra/operator/client-registry.ts';
import { jsonResponse as json } from '../api/http-server.ts';
import type { HttpResponse } from '../api/proxy-integration.ts';
import type { IssuerSettings } from './token-endpoint.ts';
import { discoveryDocument, issueToken, openSigningKey } from './token-endpoint.ts';

export const tokenPath = '/oauth2/v2.0/token';
export const keysPath = '/discovery/v2.0/keys';
const discoveryPath = '/.well-known/openid-configuration';
const formLimitBytes = 16 * 1024;

/** An hour, as Microsoft Entra's access tokens live at least. */
const tokenSeconds = 3600;

/** Answers the issuer's own paths; undefined for every other request. */
type IssuerRoutes = (message: IncomingMessage) => ((body: Buffer) => Promise<HttpResponse>) | undefined;

type IssuerOptions = {
  /** Base URL at which the issuer is reached, also its `iss`. */
  readonly baseUrl: string;
  readonly audience: string;
  /** File of the signing key; made when absent. */
  readonly keyFile: string;
  readonly registry: ClientRegistry;
};

/** The issuer as routes of an existing server. */
export async function createTokenIssuer(options: IssuerOptions): Promise<IssuerRoutes> {
  const key = await openSigningKey(options.keyFile);
  const settings: IssuerSettings = {
    issuer: options.baseUrl,
    baseUrl: options.baseUrl,
    audience: options.audience,
    tokenSeconds,
  };
  return (message) => {
    const path = (message.url ?? '').split('?')[0];
    const method = message.method ?? 'GET';
    if (path === tokenPath && method === 'POST') {
      return async (body) => {
        if (body.length > formLimitBytes)
          return json(413, { error: 'invalid_request', error_description: 'The form is too large.' });
        const { authorization, 'content-type': contentType } = message.headers;
        const answer = await issueToken(settings, key, options.registry, {
          authorization,
          contentType,
          body: body.toString('utf8'),
        });
        return json(answer.status, answer.body, answer.headers);
      };
    }
    if (path === tokenPath) return () => Promise.resolve(json(405, { error: 'invalid_request' }, { Allow: 'POST' }));
    if (method !== 'GET') return undefined;
    if (path === keysPath) return () => Promise.resolve(json(200, { keys: [key.published] }));
    if (path === discoveryPath) return () => Promise.resolve(json(200, discoveryDocument(settings)));
    return undefined;
  };
}

/**
 * The issuer on a server of its own, for tests of a deployed system.
 *
 * @param options.port 0 for any free one.
 */
export async function startTokenIssuer(options: Omit<IssuerOptions, 'baseUrl'> & { readonly port: number }): Promise<{
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  readonly stop: () => Promise<void>;
}> {
  const routes = Promise.withResolvers<IssuerRoutes>();
  const server = createServer((message, response) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
      const route = (await routes.promise)(message);
      const { status, headers, body } =
        route === undefined ? json(404, { error: 'not_found' }) : await route(Buffer.concat(chunks));
      response.writeHead(status, headers).end(body);
    };
    answer().catch(() => response.destroy());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : options.port}`;
  routes.resolve(await createTokenIssuer({ ...options, baseUrl }));
  return {
    baseUrl,
    tokenUrl: `${baseUrl}${tokenPath}`,
    jwksUri: `${baseUrl}${keysPath}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
