import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createReference } from '#local-environment/reference.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { document } from '#test/support/document.ts';

const accountId = '186e0e01-e991-4a2c-966f-3f858e9d3f66';
const baseUrl = 'http://127.0.0.1:3977';
const routes = createReference({
  baseUrl,
  tokenUrl: `${baseUrl}/oauth2/v2.0/token`,
  scope: 'api://mine/.default',
  accountId,
});

const ask = async (url: string, host = '127.0.0.1:3977', method = 'GET', more: Record<string, string> = {}) => {
  const message = { url, method, headers: { host, ...more } } as unknown as IncomingMessage;
  return routes(message)?.(Buffer.alloc(0));
};
const documentAt = async (host: string) => {
  const response = await ask('/openapi.json', host);
  return JSON.parse(response!.body.toString('utf8')) as Record<string, unknown>;
};

test.each(['127.0.0.1:3977', 'localhost:3977'])(
  'the document served at %s names that address, and an account of the environment',
  async (host) => {
    const served = await documentAt(host);
    const url = `http://${host}`;
    expect(served['servers']).toEqual([{ url, description: 'This environment.' }]);
    expect(served['security']).toEqual([{ oauth2: ['api://mine/.default'] }]);
    expect(served).toHaveProperty('components.securitySchemes.oauth2.flows.clientCredentials', {
      tokenUrl: `${url}/oauth2/v2.0/token`,
      scopes: { 'api://mine/.default': 'Every operation, for the company of the client.' },
    });
    expect(JSON.stringify(served)).not.toContain(exampleIds.accountId);
    expect(JSON.stringify(served)).toContain(accountId);
  },
);

test('the served document has the paths of the original, with account and receiver of the environment', async () => {
  const served = await documentAt('127.0.0.1:3977');
  const text = JSON.stringify(document.paths).replaceAll(exampleIds.accountId, accountId);
  const reached = text.replaceAll(/https:\/\/partner\.example\.com\/\w+/gu, `${baseUrl}/receiver/reference`);
  expect(JSON.stringify(served['paths'])).toBe(reached);
});

test('the examples have the receiver of this environment as their webhook address', async () => {
  const text = JSON.stringify(await documentAt('localhost:3977'));
  expect(text).toContain('"webhookUrl":"http://localhost:3977/receiver/reference"');
  expect(text).toContain('"endpoint":"http://localhost:3977/receiver/reference"');
  expect(text).not.toContain('partner.example.com');
});

test('the address itself leads to reference, console and document', async () => {
  const response = await ask('/');
  const links = [...response!.body.toString('utf8').matchAll(/<a href="([^"]+)"/gu)].map(([, link]) => link);
  expect([response?.status, links]).toEqual([
    200,
    ['/docs', '/docs/drawings', '/docs/partners.md', '/llms.txt', '/console', '/openapi.json'],
  ]);
});

test('the document names the address of this environment when the host of the request is another', async () => {
  expect(await documentAt('attacker.example.com')).toMatchObject({ servers: [{ url: baseUrl }] });
});

test.each(['/docs', '/docs/start.js', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/mermaid.js'])(
  '%s is served, and may load from its own origin alone',
  async (path) => {
    const response = await ask(path);
    expect(response?.status).toBe(200);
    expect(response?.headers['Content-Security-Policy']).toMatch(/^default-src 'none'; script-src 'self'; /u);
  },
);

test('the files of the page are compressed for clients that accept gzip, and cached by their version', async () => {
  const pages = await Promise.all(['/docs', '/docs/drawings'].map(async (path) => String((await ask(path))?.body)));
  const kept = /(?:src|href)="(\/docs\/(?:swagger|mermaid)[^"]+)"/gu;
  const addresses = pages.flatMap((html) => [...html.matchAll(kept)].map(([, address = '']) => address));
  expect(addresses).toHaveLength(3);
  for (const address of [...addresses, '/openapi.json']) {
    const plain = await ask(address);
    const packed = await ask(address, undefined, 'GET', { 'accept-encoding': 'br, gzip' });
    expect(packed?.headers).toMatchObject({ 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    expect(gunzipSync(packed!.body).equals(plain!.body)).toBe(true);
    expect(packed!.body.length).toBeLessThan(plain!.body.length / 2);
    const refused = await ask(address, undefined, 'GET', { 'accept-encoding': 'gzip;q=0, br' });
    expect(refused?.headers['Content-Encoding'] ?? plain?.headers['Content-Encoding']).toBeUndefined();
    const isKept = address !== '/openapi.json';
    expect(packed?.headers['Cache-Control']).toBe(isKept ? 'private, max-age=31536000, immutable' : 'no-store');
    if (isKept) expect(address).toMatch(/\?\d+\.\d+\.\d+$/u);
  }
});

test('the page of the drawings has each drawing of the guide as text, and may load scripts from its own origin alone', async () => {
  const { headers, body } = (await ask('/docs/drawings'))!;
  const guide = ['journeys', 'statuses'].map((name) => readFileSync(`docs/drawings/${name}.md`, 'utf8')).join('\n');
  const drawings = guide
    .split('```mermaid\n')
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf('```')));
  const shown = [...String(body).matchAll(/<pre class="mermaid">(.*?)<\/pre>/gsu)].map(([, text = '']) => text);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.map((text) => text.replaceAll('&lt;', '<').replaceAll('&amp;', '&'))).toEqual(drawings);
  expect(shown.filter((text) => text.includes('<'))).toEqual([]);
  expect(headers['Content-Security-Policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
});

test.each([
  ['/docs/../package.json', 'GET'],
  ['/docs/constructor', 'GET'],
  ['/docs', 'POST'],
  ['/order/v1/banking/accounts', 'GET'],
])('%s (%s) is not served by the reference', async (path, method) => {
  expect(await ask(path, undefined, method)).toBeUndefined();
});
