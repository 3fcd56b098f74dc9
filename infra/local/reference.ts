import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { exampleIds } from '#shared/contract/examples.ts';
import type { SideRoute, SideRoutes } from './api/http-server.ts';
import type { HttpResponse } from './api/request.ts';
import type { File } from './drawings.ts';
import { drawingFiles } from './drawings.ts';

/** Nothing may come from elsewhere, and nothing may go elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Banking Order Service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <p><a href="/docs/drawings">Journeys and statuses, drawn</a></p>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** What there is, for whoever opens the address itself. */
const home = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Banking Order Service</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <h1>Banking Order Service</h1>
    <ul>
      <li><a href="/docs">/docs</a>: every endpoint, to be tried</li>
      <li><a href="/docs/drawings">/docs/drawings</a>: journeys and statuses</li>
      <li><a href="/console">/console</a>: what is yours, live</li>
      <li><a href="/openapi.json">/openapi.json</a>: the same for tools</li>
    </ul>
  </body>
</html>
`;

/**
 * By default `validatorUrl` is a server elsewhere, and a list of all schemas takes half of the time to show. Swagger UI
 * shows no webhook that stands behind a reference.
 */
const startOf = (scope: string): string => `const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  responseInterceptor: (answer) => {
    if (new URL(answer.url).pathname !== '/openapi.json') return answer;
    const read = JSON.parse(answer.text);
    read.webhooks = read.components.pathItems;
    return Object.assign(answer, { text: JSON.stringify(read) });
  },
});
reference.initOAuth({ scopes: [${JSON.stringify(scope)}] });
`;

const packaged = (name: string, type: string): File => ({
  type,
  read: () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))),
});

/**
 * The reference of the API: `/docs` for people, `/openapi.json` for tools, and `/`, which leads to both. No request
 * leaves this machine. `localhost` and `127.0.0.1` are two origins to a browser: the document names the one in the
 * request.
 */
export function createReference(place: Place): SideRoutes {
  const files: Readonly<Record<string, File>> = {
    '/': { type: 'text/html; charset=utf-8', read: () => home },
    '/docs': { type: 'text/html; charset=utf-8', read: () => page },
    ...drawingFiles(),
    '/docs/start.js': { type: 'text/javascript; charset=utf-8', read: () => startOf(place.scope) },
    '/docs/swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    '/docs/swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  };
  return (message): SideRoute | undefined => {
    if (message.method !== 'GET') return undefined;
    const path = (message.url ?? '').split('?')[0] ?? '';
    if (path === '/docs/') return () => response(301, '', { Location: '/docs' });
    if (path === '/openapi.json') {
      const reached = placeFor(place, message);
      return async () => response(200, await servedDocument(reached), { 'Content-Type': 'application/json' });
    }
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (file === undefined) return undefined;
    const own = file.policy === undefined ? {} : { 'Content-Security-Policy': file.policy };
    return async () => response(200, await file.read(), { 'Content-Type': file.type, ...own });
  };
}

function placeFor(place: Place, { headers: { host = '' } }: IncomingMessage): Place {
  const { port } = new URL(place.baseUrl);
  if (host !== `localhost:${port}`) return place;
  const local = (url: string): string => url.replace(new URL(place.baseUrl).origin, `http://${host}`);
  return { ...place, baseUrl: local(place.baseUrl), tokenUrl: local(place.tokenUrl) };
}

function response(status: number, body: string | Buffer, headers: Readonly<Record<string, string>>): HttpResponse {
  return {
    status,
    headers: {
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
    body: Buffer.from(body),
  };
}

const file = new URL('../../docs/openapi.json', import.meta.url);

/** What is replaced in the document; everything else is handed on as it is. */
const Document = z.looseObject({
  components: z.looseObject({
    securitySchemes: z.strictObject({
      oauth2: z.looseObject({
        flows: z.strictObject({
          clientCredentials: z.strictObject({ tokenUrl: z.string(), scopes: z.record(z.string(), z.string()) }),
        }),
      }),
    }),
  }),
});

/** Where this environment is, and one of its accounts. */
type Place = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly accountId: string | undefined;
};

/** In the examples of the document: nobody answers there. */
const exampleEndpoint = /https:\/\/partner\.example\.com\/[a-z]+/gu;

/** docs/openapi.json with the addresses of this environment; in the examples one of its accounts, and its receiver. */
async function servedDocument({ baseUrl, tokenUrl, scope, accountId }: Place): Promise<string> {
  const text = await readFile(file, 'utf8');
  const reached = text.replaceAll(exampleEndpoint, `${baseUrl}/receiver/reference`);
  const own = accountId === undefined ? reached : reached.replaceAll(exampleIds.accountId, accountId);
  const document = Document.parse(JSON.parse(own));
  const { securitySchemes } = document.components;
  const [meaning = ''] = Object.values(securitySchemes.oauth2.flows.clientCredentials.scopes);
  const flows = { clientCredentials: { tokenUrl, scopes: { [scope]: meaning } } };
  return JSON.stringify({
    ...document,
    servers: [{ url: baseUrl, description: 'This environment.' }],
    security: [{ oauth2: [scope] }],
    components: { ...document.components, securitySchemes: { oauth2: { ...securitySchemes.oauth2, flows } } },
  });
}
