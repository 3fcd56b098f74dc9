import { readFileSync } from 'node:fs';
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

test('every screen can be used by everybody, in light and dark, narrow and wide', { timeout: 120_000 }, async () => {
  const { page, open, press, untilStatus } = await openConsole();
  // Not a script of the page, whose policy would refuse it.
  await page.addInitScript({ content: axe });
  const create = async (sample: string, status: string): Promise<string> => {
    await open(`/new/${sample}`);
    await press('Send');
    await untilStatus(status);
    return page.url().replace(/^.*#\/[^/]+/u, '');
  };
  const subscription = await create('journey-2', 'PENDING_AUTHORIZATION');
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  await page.getByRole('button', { name: /^Schedule/u }).click();
  const payment = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!;
  const payIn = await create('pay-in', 'PENDING');
  await press('PAID');
  await untilStatus('PAID');
  await page.getByRole('region', { name: 'Timeline' }).getByText('HELD').waitFor();
  const payout = await create('payout-pix', 'PENDING');
  await open('/deliveries');
  const delivery = (await page.locator('tbody a').first().getAttribute('href'))!;

  const behindCompany = (address: string): string => address.replace(/^#\/[^/]+/u, '');
  const screens = [
    ...[
      '',
      '/subscriptions',
      '/pay-ins',
      '/payouts',
      '/new',
      '/deliveries',
      '/webhooks',
      '/ledger',
      '/clock',
      '/requests',
      '/phone',
    ],
    ...[subscription, behindCompany(payment), payIn, payout, behindCompany(delivery)],
  ];
  const found: string[] = [];
  for (const screen of screens) {
    await page.goto('about:blank');
    await open(screen);
    await page.getByText('Reading…').first().waitFor({ state: 'detached' });
    for (const scheme of ['light', 'dark'] as const)
      for (const width of widths) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 900 });
        found.push(...(await faultsOf(page, scheme)).map((fault) => `${screen} ${scheme} ${width}: ${fault}`));
      }
  }
  expect(found).toEqual([]);
});

async function faultsOf(page: Page, scheme: Scheme): Promise<readonly string[]> {
  const rules = schemes[scheme];
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate((given) => (globalThis as unknown as WithAxe).axe.run(given), options);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
  );
}
