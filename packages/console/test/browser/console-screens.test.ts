import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsole } from './console-page.ts';

const openConsole = useConsole();

/** What axe-core finds, as far as it is read here. */
type Found = { readonly violations: readonly { readonly id: string; readonly help: string; readonly nodes: Nodes }[] };
type Nodes = readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
type Options = { readonly resultTypes: readonly string[]; readonly runOnly?: readonly string[] };
type WithAxe = { readonly axe: { readonly run: (options: Options) => Promise<Found> } };

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** The rules that are tried in each: what else axe-core looks at is the same in both. */
const schemes = { light: undefined, dark: ['color-contrast'] } as const;
type Scheme = keyof typeof schemes;
const widths = [390, 1280];

/** The folder of the pictures of the screens. */
const pictures = join(import.meta.dirname, '../../dist/console-screens');

test('every screen can be used by everybody: empty, full and failing', { timeout: 900_000 }, async () => {
  const { page, open, press, untilStatus } = await openConsole();
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  // Not a script of the page, whose policy would refuse it.
  await page.addInitScript({ content: axe });
  const orders = ['', '/subscriptions', '/pay-ins', '/payouts', '/new', '/new/scheduled-payment', '/phone'];
  const credits = ['/credits', '/new/credit', '/disputes'];
  const logs = ['/deliveries', '/webhooks', '/ledger', '/clock', '/requests', '/search?text=none'];
  const found: string[] = [];
  const judgeAll = async (state: string, screens: readonly string[]): Promise<void> => {
    for (const screen of screens) {
      await page.goto('about:blank');
      await open(screen);
      found.push(...(await judge(page, `${state}${screen}`)));
    }
  };
  await judgeAll('empty', [
    '',
    '/subscriptions',
    '/credits',
    '/disputes',
    '/phone',
    '/deliveries',
    '/webhooks',
    '/ledger',
    '/requests',
  ]);

  const create = async (sample: string, status: string): Promise<string> => {
    await open(`/new/${sample}`);
    await press('Send');
    await untilStatus(status);
    return behindCompany(page.url());
  };
  const subscription = await create('journey-2', 'PENDING_AUTHORIZATION');
  const code = (await page.getByRole('link', { name: 'Open it on the payer’s phone' }).getAttribute('href'))!;
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  await press('Advance to the next charge and settle it');
  const payment = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!;
  await page.getByRole('group', { name: 'Scheduled payments' }).getByText('COMPLETED').waitFor();
  const payIn = await create('pay-in', 'PENDING');
  await press('PAID');
  await untilStatus('PAID');
  await page.getByRole('region', { name: 'Timeline' }).getByText('HELD').waitFor();
  await open(payIn);
  await press('Claim it back, as the payer');
  await page.getByRole('region', { name: 'Timeline' }).getByText('MED_BLOCKED').waitFor();
  await open('/disputes');
  const dispute = behindCompany((await page.locator('tbody a').first().getAttribute('href'))!);
  const payout = await create('payout-pix', 'PENDING');
  const credit = await create('credit', 'OPEN');
  const untouched = await create('credit', 'OPEN');
  await open(credit);
  await press('Return');
  await page.getByRole('group', { name: 'Returns' }).getByText('PENDING').waitFor();
  await open('/deliveries');
  const delivery = (await page.locator('tbody a').first().getAttribute('href'))!;
  const records = [subscription, behindCompany(payment), payIn, payout, behindCompany(delivery), behindCompany(code)];
  await judgeAll('full', [...orders, ...credits, ...logs, ...records, credit, untouched, dispute]);
  const unknownId = randomUUID();
  await judgeAll('failing', [
    '/pay-ins?status=NONE',
    `/payouts/${unknownId}`,
    '/credits?status=NONE',
    `/credits/${unknownId}`,
    `/ledger/${unknownId}`,
    '/phone?code=000201',
  ]);
  await open('/deliveries');
  await page.evaluate(() => {
    globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  });
  await page.getByRole('alert').waitFor();
  found.push(...(await judge(page, 'down/deliveries')));
  expect(found).toEqual([]);
});

const behindCompany = (address: string): string => address.replace(/^.*#\/[^/?]+/u, '');

/** What is wrong with the screen that is open, in light and dark, narrow and wide; its pictures are kept. */
async function judge(page: Page, screen: string): Promise<readonly string[]> {
  await page.getByText('Reading…').first().waitFor({ state: 'detached' });
  const found: string[] = [];
  const name = screen.replaceAll(/[^\w-]+/gu, '-').slice(0, 60);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      const faults = [...(await faultsOf(page, scheme)), ...(scheme === 'light' ? await outsideOf(page) : [])];
      found.push(...faults.map((fault) => `${screen} ${scheme} ${String(width)}: ${fault}`));
      await page.screenshot({ path: join(pictures, `${name}-${String(width)}-${scheme}.png`), fullPage: true });
    }
    await page.getByRole('button', { name: 'Português' }).click();
    found.push(...(await outsideOf(page)).map((fault) => `${screen} in Portuguese ${String(width)}: ${fault}`));
    await page.getByRole('button', { name: 'English' }).click();
  }
  return found;
}

/** What is wider than the page, and controls that are cut, or whose text is. A table scrolls by itself. */
function outsideOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { document, innerWidth } = globalThis as unknown as {
      readonly document: {
        readonly documentElement: Box;
        readonly querySelectorAll: (selector: string) => Iterable<Box>;
      };
      readonly innerWidth: number;
    };
    type Box = {
      readonly scrollWidth: number;
      readonly clientWidth: number;
      readonly tagName: string;
      readonly textContent: string;
      readonly closest: (selector: string) => unknown;
      readonly checkVisibility: () => boolean;
      readonly getBoundingClientRect: () => { readonly left: number; readonly right: number; readonly width: number };
    };
    const wide = document.documentElement.scrollWidth > innerWidth ? ['the page is wider than the window'] : [];
    const controls = [...document.querySelectorAll('button, select, input, textarea, summary, a.button, nav a')];
    const cut = controls.filter((one) => {
      const { left, right, width } = one.getBoundingClientRect();
      // What is folded away has no size of its own.
      if (width <= 1 || !one.checkVisibility() || one.closest('.table') !== null) return false;
      const isTextCut = one.tagName === 'BUTTON' && one.scrollWidth > one.clientWidth + 1;
      return left < 0 || right > innerWidth + 0.5 || isTextCut;
    });
    return [...wide, ...cut.map((one) => `${one.tagName} ${one.textContent.slice(0, 40)} is cut`)];
  });
}

async function faultsOf(page: Page, scheme: Scheme): Promise<readonly string[]> {
  const rules = schemes[scheme];
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate((given) => (globalThis as unknown as WithAxe).axe.run(given), options);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
  );
}
