import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import swagger from 'swagger-ui-dist/package.json' with { type: 'json' };
import * as z from 'zod';
import { exampleIds } from '#shared/contract/examples.ts';
import type { SideRoute, SideRoutes, HttpResponse } from '@banking-order/cdk-local';
import type { File } from './drawings.ts';
import { drawingFiles } from './drawings.ts';
import { guideFiles, llmsText } from './guide.ts';

/**
 * Content security policy: a page loads files only from its own origin (images also from `data:`) and connects only to
 * it.
 */
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
    <link rel="stylesheet" href="/docs/swagger-ui.css?${swagger.version}">
  </head>
  <body>
    <p><a href="/docs/drawings">Drawings of journeys and statuses</a></p>
    <p>Each Execute replaces the example values of <code>idempotency-key</code>, <code>externalId</code> and
    <code>x-request-id</code> with new ones. Your own values are sent unchanged: write your own key and execute twice to
    see a repetition.</p>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js?${swagger.version}"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Page at `/` with links to the other pages. */
const homePage = `<!doctype html>
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
      <li><a href="/docs">/docs</a>: every endpoint, to try out</li>
      <li><a href="/docs/drawings">/docs/drawings</a>: journeys and statuses</li>
      <li><a href="/docs/partners.md">/docs/partners.md</a>: the guide, page by page (Markdown)</li>
      <li><a href="/llms.txt">/llms.txt</a>: the same for language models</li>
      <li><a href="/console">/console</a>: your orders and deliveries, live</li>
      <li><a href="/openapi.json">/openapi.json</a>: the OpenAPI document, for tools</li>
    </ul>
  </body>
</html>
`;

/**
 * Script that gives each request its own `idempotency-key`, `x-request-id` and `externalId` in place of the example
 * values. Otherwise the second Execute of an operation would repeat the first one or conflict with it.
 */
const ownOfEachRequest = `const keys = new Set();
const externalIds = new Set();
function noteExample(member, value) {
  if (member === 'example' && /^(?:idempotency-key|x-request-id)$/u.test(this.name)) keys.add(value);
  if (member === 'externalId' && typeof value === 'string') externalIds.add(value);
  return value;
}
function withOwnValues(request) {
  for (const [name, value] of Object.entries(request.headers ?? {}))
    if (keys.has(value)) request.headers[name] = crypto.randomUUID();
  if (typeof request.body === 'string' && request.body.startsWith('{'))
    request.body = request.body.replace(/("externalId"\\s*:\\s*")([^"\\\\]*)"/u, (member, start, value) =>
      externalIds.has(value) ? start + value + '-' + crypto.randomUUID().slice(0, 8) + '"' : member);
  return request;
}
`;

/**
 * Returns the script that starts Swagger UI without some defaults. By default Swagger UI calls an external validator,
 * spends half of the time on a list of all schemas, reads the document as YAML, which takes seconds, and shows no
 * webhook that is only a reference.
 */
const startOf = (scope: string): string => `${ownOfEachRequest}const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
  requestInterceptor: withOwnValues,
  plugins: [{ statePlugins: { spec: { wrapActions: { parseToJson: (_yaml, { specActions }) => (text) => {
    const read = JSON.parse(text, noteExample);
    read.webhooks = read.components.pathItems;
    return specActions.updateJsonSpec(read);
  } } } } }],
});
reference.initOAuth({ scopes: [${JSON.stringify(scope)}] });
`;

const packaged = (name: string, type: string): File => ({
  type,
  read: () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))),
  kept: true,
});

/**
 * Creates the API reference: `/docs` and the pages of the guide for people, `/openapi.json` and `/llms.txt` for tools,
 * and `/` with links to them. No request leaves this machine. To a browser `localhost` and `127.0.0.1` are two origins:
 * the document names the one that the request used.
 */
export function createReference(options: ReferenceOptions): SideRoutes {
  const files: Readonly<Record<string, File>> = {
    '/': { type: 'text/html; charset=utf-8', read: () => homePage },
    '/docs': { type: 'text/html; charset=utf-8', read: () => page },
    ...drawingFiles(),
    ...guideFiles(),
    '/docs/start.js': { type: 'text/javascript; charset=utf-8', read: () => startOf(options.scope) },
    '/docs/swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
    '/docs/swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  };
  const pack = createPacker();
  return (message): SideRoute | undefined => {
    if (message.method !== 'GET') return undefined;
    const path = (message.url ?? '').split('?')[0] ?? '';
    if (path === '/docs/') return () => response(301, '', { Location: '/docs' });
    const reached = optionsFor(options, message);
    if (path === '/openapi.json' || path === `/${file}`)
      return async () => pack(path, message, await servedDocument(reached), { 'Content-Type': 'application/json' });
    if (path === '/llms.txt')
      return async () =>
        pack(path, message, await llmsText(reached.baseUrl), { 'Content-Type': 'text/plain; charset=utf-8' });
    const served = Object.hasOwn(files, path) ? files[path] : undefined;
    if (served === undefined) return undefined;
    return async () =>
      pack(path, message, await served.read(), {
        'Content-Type': served.type,
        ...(served.kept && kept),
        ...(served.policy !== undefined && { 'Content-Security-Policy': served.policy }),
      });
  };
}

const kept = { 'Cache-Control': 'private, max-age=31536000, immutable' };

/** Compresses responses with gzip if the client accepts it. Unchanged content of a path is compressed only once. */
function createPacker() {
  const done = new Map<string, { readonly from: Buffer; readonly packed: Buffer }>();
  return async (
    path: string,
    { headers: asked }: IncomingMessage,
    content: string | Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> => {
    const from = Buffer.from(content);
    const varying = { ...headers, Vary: 'Accept-Encoding' };
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/u.test(asked['accept-encoding'] ?? ''))
      return response(200, from, varying);
    const before = done.get(path);
    const packed = before?.from.equals(from) === true ? before.packed : await promisify(gzip)(from);
    done.set(path, { from, packed });
    return response(200, packed, { ...varying, 'Content-Encoding': 'gzip' });
  };
}

function optionsFor(options: ReferenceOptions, { headers: { host = '' } }: IncomingMessage): ReferenceOptions {
  const { port } = new URL(options.baseUrl);
  if (host !== `localhost:${port}`) return options;
  const local = (url: string): string => url.replace(new URL(options.baseUrl).origin, `http://${host}`);
  return { ...options, baseUrl: local(options.baseUrl), tokenUrl: local(options.tokenUrl) };
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

/** Path from the project's root, where every npm script runs. */
const file = 'docs/openapi.json';

/** Members of the document that are replaced; all others are passed on unchanged. */
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

/** Addresses of this environment, and one of its accounts for the examples. */
type ReferenceOptions = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
  readonly accountId: string | undefined;
};

/** Endpoints in the document's examples, where no server responds. */
const exampleEndpoint = /https:\/\/partner\.example\.com\/[a-z]+/gu;

/**
 * Returns docs/openapi.json with the addresses of this environment. Its examples name an account and the receiver of
 * this environment.
 */
async function servedDocument({ baseUrl, tokenUrl, scope, accountId }: ReferenceOptions): Promise<string> {
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
