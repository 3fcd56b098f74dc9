import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage } from '#test/support/browser.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** Global name of the script in the page of the drawings. */
declare const mermaid: { readonly parse: (text: string) => Promise<{ readonly diagramType: string }> };

const folder = mkdtempSync(join(tmpdir(), 'reference-'));
let local: LocalProcess;
let browser: Browser;

beforeAll(async () => {
  [local, browser] = await Promise.all([startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1' }), launchBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser.close(), local.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The line of the shown command that names a header or a field. */
const lineWith = (name: string, command: string): string => {
  const [line = ''] = command.split('\n').filter((one) => one.includes(name));
  expect(line).not.toBe('');
  return line;
};

test.each(['127.0.0.1', 'localhost'])(
  'at %s: authorizes with the credentials of the sandbox, pays, and shows what is notified',
  async (host) => {
    const { clientId, clientSecret } = local.sandbox.companies[0];
    const { port } = new URL(local.sandbox.baseUrl);
    const origin = `http://${host}:${port}`;
    const { page, outside, errors } = await openPage(browser, origin);

    await page.goto(`${origin}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.dialog-ux');
    await dialog.getByLabel('client_id').fill(clientId);
    await dialog.getByLabel('client_secret').fill(clientSecret);
    await dialog.locator('.auth-btn-wrapper .authorize').click();
    await dialog.locator('.auth-btn-wrapper').getByText('Logout').waitFor();
    await dialog.locator('.btn-done').click();

    const operation = page.locator('#operations-Payouts-createPayout');
    await operation.locator('.opblock-summary-control').click();
    // A key and an identifier that were not used before; all else is the example, with an account of the sandbox.
    const exampleKey = await operation.getByPlaceholder('idempotency-key').inputValue();
    await operation.getByPlaceholder('idempotency-key').fill(`key-${host}`);
    const body = operation.locator('textarea.body-param__text');
    const example = JSON.parse(await body.inputValue()) as object;
    await body.fill(JSON.stringify({ ...example, externalId: `payment-${host}` }));
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = operation.locator('.live-responses-table');
    expect(await response.locator('.response-col_status').last().innerText()).toMatch(/^201/u);
    expect(await response.innerText()).toContain(`"externalId": "payment-${host}"`);

    const curl = operation.locator('.curl-command');
    // The example as it stands, twice: what each request has for itself is new.
    const status = async (): Promise<string> => {
      const before = await curl.innerText();
      const executed = page.waitForResponse((response) => response.url().endsWith('/order-payouts'));
      await operation.getByRole('button', { name: 'Execute' }).click();
      await executed;
      // The page shows the request with its response, a moment after it has the response.
      await expect.poll(() => curl.innerText()).not.toBe(before);
      return response.locator('.response-col_status').last().innerText();
    };
    await body.fill(JSON.stringify(example));
    await operation.getByPlaceholder('idempotency-key').fill(exampleKey);
    expect(await status()).toMatch(/^201/u);
    const sent = await curl.innerText();
    expect(await status()).toMatch(/^201/u);
    expect(await response.innerText()).toMatch(/"externalId": "payment-981-[0-9a-f]{8}"/u);
    for (const name of ['externalId', 'idempotency-key', 'x-request-id'])
      expect(lineWith(name, await curl.innerText())).not.toBe(lineWith(name, sent));

    expect(await page.locator('.webhooks .opblock').count()).toBe(9);
    expect(outside).toEqual([]);
    expect(errors).toEqual([]);
    await page.context().close();
  },
);

test('draws each drawing of the guide, and could draw those of its translation', async () => {
  const titlesIn = (pattern: string): readonly string[] =>
    globSync(pattern)
      .toSorted()
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^ {2}accTitle: (.+)$/gmu)])
      .map(([, title = '']) => title);
  const { page, outside, errors } = await openPage(browser, local.sandbox.baseUrl);
  await page.goto(`${local.sandbox.baseUrl}/docs/drawings`, { waitUntil: 'commit' });
  const drawn = page.locator('.mermaid > svg > title');
  const titles = titlesIn('docs/drawings/*.md');
  expect(titles.length).toBeGreaterThan(10);
  await expect.poll(() => drawn.allTextContents()).toEqual(titles);

  const translated = globSync('docs/pt-BR/drawings/*.md').flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/^```mermaid\n(.*?)^```$/gmsu)].map(([, text = '']) => text),
  );
  const kinds = await page.evaluate(
    (texts) => Promise.all(texts.map(async (text) => (await mermaid.parse(text)).diagramType)),
    translated,
  );
  expect(new Set(kinds)).toEqual(new Set(['sequence', 'stateDiagram']));
  expect(kinds).toHaveLength(titles.length);
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
