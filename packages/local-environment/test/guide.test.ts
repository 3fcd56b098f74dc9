import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReference } from '#local-environment/reference.ts';
import { issues } from '#shared/core/errors.ts';
import { each } from '#test/support/each.ts';
import { operations } from '#test/support/document.ts';

let baseUrl = '';
const server = createServer((message, answer) => {
  const routes = createReference({ baseUrl, tokenUrl: `${baseUrl}/token`, scope: 'api://mine', accountId: undefined });
  void (async () => {
    const response = await routes(message)?.(Buffer.alloc(0));
    answer.writeHead(response?.status ?? 404, response?.headers).end(response?.body);
  })();
});

beforeAll(async () => {
  const listening = Promise.withResolvers<undefined>();
  server.listen(0, '127.0.0.1', () => {
    listening.resolve(undefined);
  });
  await listening.promise;
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

/** Reads an address. @throws when it is not served */
async function read(url: string | URL): Promise<{ readonly type: string | null; readonly text: string }> {
  const response = await fetch(url);
  expect(response.status, String(url)).toBe(200);
  return { type: response.headers.get('content-type'), text: await response.text() };
}

const linksIn = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(([^)#]+)[^)]*\)/gu)].map(([, link = '']) => link);

test('/llms.txt has name, summary and sections of links, as llmstxt.org says', async () => {
  const { type, text } = await read(`${baseUrl}/llms.txt`);
  expect(type).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^# Banking Order Service\n\n> Recurring PIX [^\n]+\.\n\n## /u);
  expect(text.match(/^## .+$/gmu)).toEqual(['## Guide', '## Look up', '## Optional']);
  const lines = text
    .split('\n')
    .slice(3)
    .filter((line) => line !== '' && !line.startsWith('## '));
  for (const line of each(lines)) expect(line).toMatch(/^- \[[^\]]+\]\(http[^)]+\): \S/u);
  const named = linksIn(readFileSync('docs/partners.md', 'utf8')).map((link) => `${baseUrl}/docs/${link}`);
  expect(linksIn(text)).toEqual(named);
});

test('each link of /llms.txt, and of the pages behind it, is served as Markdown or as its kind', async () => {
  const seen = new Set(linksIn((await read(`${baseUrl}/llms.txt`)).text));
  for (const url of seen) {
    const { type, text } = await read(url);
    const expected = /\.(?:md|json)$/u.exec(url)?.[0];
    expect(type, url).toBe(
      expected === '.md' ? 'text/markdown; charset=utf-8' : expected ? 'application/json' : 'text/plain; charset=utf-8',
    );
    if (expected !== '.md') continue;
    expect(text, url).toBe(readFileSync(`.${new URL(url).pathname}`, 'utf8'));
    for (const link of linksIn(text)) if (!/^https?:/u.test(link)) seen.add(new URL(link, url).href);
  }
  expect(seen.size).toBeGreaterThan(20);
});

test('a file that no page leads to is not served', async () => {
  for (const path of ['/docs/runbook.md', '/README.md', '/package.json'])
    expect((await fetch(baseUrl + path)).status, path).toBe(404);
});

const statuses = new Set(operations.flatMap(({ operation }) => Object.keys(operation.responses)));
const errors = [...statuses].filter((status) => Number(status) >= 400);

test.each([...errors, ...issues])('the page of the error %s is served, and it alone', async (code) => {
  const { type, text } = await read(`${baseUrl}/docs/errors/${code.toLowerCase()}`);
  expect(type).toBe('text/markdown; charset=utf-8');
  expect(text.split('\n', 1)).toEqual([`# \`${code}\``]);
  expect(text.match(/^#/gmu)).toHaveLength(1);
  expect(text.length).toBeGreaterThan(60);
});
