import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { HttpAnswer } from './api/proxy-response.ts';
import type { ClientRegistry } from './identity/client-registry.ts';
import { openSigningKey } from './identity/signing-key.ts';
import { discoveryDocument, issueToken, type IssuerSettings } from './identity/token-endpoint.ts';

export const TOKEN_PATH = '/oauth2/v2.0/token';
export const KEYS_PATH = '/discovery/v2.0/keys';
const DISCOVERY_PATH = '/.well-known/openid-configuration';
const FORM_LIMIT_BYTES = 16 * 1024;

/** An hour, as Microsoft Entra's access tokens live at least. */
const TOKEN_SECONDS = 3600;

/** Answers the issuer's own paths; undefined for every other request. */
export type IssuerRoutes = (message: IncomingMessage) => ((body: Buffer) => Promise<HttpAnswer>) | undefined;

export interface IssuerOptions {
  /** Base URL at which the issuer is reached, also its `iss`. */
  readonly baseUrl: string;
  readonly audience: string;
  /** File of the signing key; made when absent. */
  readonly keyFile: string;
  readonly registry: ClientRegistry;
}

/** The issuer as routes of a server that is already there. */
export async function createTokenIssuer(options: IssuerOptions): Promise<IssuerRoutes> {
  const key = await openSigningKey(options.keyFile);
  const settings: IssuerSettings = {
    issuer: options.baseUrl,
    baseUrl: options.baseUrl,
    audience: options.audience,
    tokenSeconds: TOKEN_SECONDS,
  };
  return (message) => {
    const path = (message.url ?? '').split('?')[0];
    const method = message.method ?? 'GET';
    if (path === TOKEN_PATH && method === 'POST') {
      return async (body) => {
        if (body.length > FORM_LIMIT_BYTES)
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
    if (path === TOKEN_PATH) return () => Promise.resolve(json(405, { error: 'invalid_request' }, { Allow: 'POST' }));
    if (method !== 'GET') return undefined;
    if (path === KEYS_PATH) return () => Promise.resolve(json(200, { keys: [key.published] }));
    if (path === DISCOVERY_PATH) return () => Promise.resolve(json(200, discoveryDocument(settings)));
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
    const answered = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
      const route = (await routes.promise)(message);
      const answer = route === undefined ? json(404, { error: 'not_found' }) : await route(Buffer.concat(chunks));
      response.writeHead(answer.status, answer.headers).end(answer.body);
    };
    answered().catch(() => response.destroy());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : options.port}`;
  routes.resolve(await createTokenIssuer({ ...options, baseUrl }));
  return {
    baseUrl,
    tokenUrl: `${baseUrl}${TOKEN_PATH}`,
    jwksUri: `${baseUrl}${KEYS_PATH}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function json(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}
