import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Company } from '@banking-order/partner-tools';
import { launchBrowser, openPage } from '#test/support/browser.ts';
import type { LocalProcess } from '#test/support/environment-local.ts';
import { startLocalProcess } from '#test/support/environment-local.ts';

/** A company's console in a browser. */
type ConsolePage = {
  readonly page: Page;
  readonly baseUrl: string;
  /** Opens the screen at the address behind the company's. */
  readonly open: (path: string) => Promise<void>;
  readonly press: (name: string) => Promise<void>;
  readonly follow: (name: string | RegExp) => Promise<void>;
  /** Waits until the status of what the screen shows is this one. */
  readonly untilStatus: (status: string) => Promise<void>;
  /** Labels of the buttons for moves of the bank. */
  readonly moves: () => Promise<readonly string[]>;
};

/** Opens a console in a page of its own, that of the environment itself unless an origin is given. */
type OpenConsole = ((origin?: string) => Promise<ConsolePage>) & { readonly sandboxFile: string };

type Opened = Awaited<ReturnType<typeof openPage>> & { readonly responseTexts: readonly Promise<string>[] };

/**
 * A local environment and a browser for a file of tests. After each test it is judged what every page must keep:
 * nothing was asked elsewhere, nothing complained about, and no secret came to the page.
 */
export function useConsole(): OpenConsole {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let local: LocalProcess;
  let browser: Browser;
  let opened: Opened[] = [];
  beforeAll(async () => {
    [local, browser] = await Promise.all([
      startLocalProcess({ folder, retryDelaysSeconds: '1,1,1,1' }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser.close(), local.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const seen = opened;
    opened = [];
    const [first, second] = local.sandbox.companies;
    for (const one of seen) await judge(one, [first, second]);
  });
  const open = async (origin = local.sandbox.baseUrl): Promise<ConsolePage> => {
    const one = await openPage(browser, origin);
    const responseTexts: Promise<string>[] = [];
    one.page.on('response', (response) => {
      const head = `${response.url()} ${JSON.stringify(response.headers())}`;
      // A redirection, and an answer that the page gave up, have no body.
      responseTexts.push(
        response.text().then(
          (text) => `${head} ${text}`,
          () => head,
        ),
      );
    });
    opened.push({ ...one, responseTexts });
    return consolePage(one.page, local.sandbox.baseUrl, `${origin}/console/#/${local.sandbox.companies[0].companyId}`);
  };
  return Object.assign(open, { sandboxFile: join(folder, 'sandbox.json') });
}

async function judge({ page, outside, errors, responseTexts }: Opened, companies: readonly Company[]): Promise<void> {
  await page.context().close();
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
  const received = await Promise.all(responseTexts);
  expect(received.length).toBeGreaterThan(3);
  // The client id is no secret (RFC 6749, 2.2): records name the client whose request created them.
  const secrets = companies.flatMap(({ clientSecret, webhookSecret }) => [clientSecret, webhookSecret]);
  const leaks = received.filter(
    (text) => secrets.some((secret) => text.includes(secret)) || /eyJ[\w-]+\.[\w-]+\.|whsec_|bearer ey/iu.test(text),
  );
  expect(leaks).toEqual([]);
}

function consolePage(page: Page, baseUrl: string, address: string): ConsolePage {
  return {
    page,
    baseUrl,
    open: async (path) => {
      await page.goto(`${address}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
    press: async (name) => {
      await page.getByRole('button', { name, exact: true }).first().click();
    },
    follow: async (name) => {
      await page.getByRole('main').getByRole('link', { name, exact: true }).first().click();
    },
    untilStatus: async (status) => {
      const shown = page.locator('dl.facts').first().locator('.status');
      await shown.filter({ hasText: new RegExp(`^${status}$`, 'u') }).waitFor();
    },
    moves: async () => {
      await page.getByRole('region', { name: 'Transitions' }).waitFor();
      return page.locator('[data-trigger]').allTextContents();
    },
  };
}
