import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * A real browser of this machine.
 * @throws Error that says how to get one.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = programs.find((program) => existsSync(program));
  if (executablePath === undefined)
    throw new Error('There is no Chromium. On Debian and Ubuntu: apt-get install chromium');
  // The sandbox of Chromium does not start for root, as which CI runs.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

type WatchedPage = {
  readonly page: Page;
  /** Addresses outside the origin that the page asked for; none of these requests left the machine. */
  readonly outside: readonly string[];
  /** What the page wrote to its console as an error, and what it threw. */
  readonly errors: readonly string[];
};

/** A new page that reaches one origin alone: every other request is aborted and kept. */
export async function openPage(browser: Browser, origin: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  // Chromium shares a busy machine with the service that it shows.
  context.setDefaultTimeout(200_000);
  const page = await context.newPage();
  const outside: string[] = [];
  const errors: string[] = [];
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith('data:') || url.startsWith('blob:') || new URL(url).origin === origin) return route.continue();
    outside.push(url);
    return route.abort();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => {
    errors.push(error.message);
  });
  return { page, outside, errors };
}
