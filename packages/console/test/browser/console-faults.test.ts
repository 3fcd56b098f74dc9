import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useConsole } from './console-page.ts';

const openConsole = useConsole();

test('on a phone every screen can be opened by the menu', async () => {
  const { page, open } = await openConsole();
  await page.setViewportSize({ width: 390, height: 900 });
  await open('');
  const menu = page.getByRole('navigation', { name: 'Screens' });
  const screens = [
    'Orders',
    'Unexpected money',
    'Payer’s phone',
    'Deliveries',
    'Webhooks',
    'Ledger',
    'Clock',
    'Requests',
  ];
  for (const screen of screens) {
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await menu.getByRole('link', { name: screen }).click();
    await page.getByRole('heading', { level: 1, name: screen === 'Orders' ? 'Subscriptions' : screen }).waitFor();
  }
});

test('the console reports a server that does not answer, and shows no empty list or raw error beside it', async () => {
  const { page, open } = await openConsole();
  await open('/payouts?status=ERROR');
  const main = page.getByRole('main');
  await main.getByText('No orders found.').waitFor();
  await page.evaluate(() => {
    globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  });
  await main.getByText('The console’s server does not respond').waitFor();
  const text = (await main.textContent()) ?? '';
  expect(text).toContain('The data below is from an earlier read.');
  expect(text).not.toMatch(/No orders found|Failed to fetch/u);
});

test('the console reports an unknown account or company in its address, and shows no table in its place', async () => {
  const { page, open, baseUrl } = await openConsole();
  const main = page.getByRole('main');
  const account = randomUUID();
  await open(`/ledger/${account}`);
  await main.getByText(`This company has no account ${account}.`).waitFor();
  await page.goto(`${baseUrl}/console/#/nobody/ledger`);
  await main.getByText('There is no company nobody').waitFor();
  expect(page.url()).toContain('#/nobody/ledger');
  expect(await main.locator('table').count()).toBe(0);
  await main.getByRole('region', { name: 'Companies' }).getByRole('link').first().click();
  await main.getByRole('region', { name: 'Accounts' }).waitFor();
});

test('the console names the invalid field when a read is refused', async () => {
  const { page, open } = await openConsole();
  await open('/pay-ins?status=NONE');
  await page.getByRole('alert').getByText('status', { exact: true }).waitFor();
});

test('the message of an action disappears with its screen, and a refund is offered once', async () => {
  const { page, open, press, untilStatus } = await openConsole();
  await open('/new/pay-in');
  await press('Send');
  await untilStatus('PENDING');
  await page.getByRole('status').getByText('Created.').waitFor();
  await press('PAID');
  await untilStatus('PAID');
  await press('Refund');
  await page.getByRole('button', { name: 'Refund', exact: true }).waitFor({ state: 'detached' });
  await untilStatus('PAID');
  await sleep(1100);
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page
    .getByRole('region', { name: 'Accounts' })
    .or(page.getByRole('group', { name: 'Entries' }))
    .waitFor();
  expect(await page.getByRole('status').textContent()).toBe('');
  const entries = page.getByRole('group', { name: 'Entries' });
  expect(await entries.locator('th').allTextContents()).not.toContainEqual(expect.stringContaining('R$'));
});

test('requests are those of the company until every company is asked for, and are found by path', async () => {
  const { page, open } = await openConsole();
  await open('/pay-ins?status=NONE');
  await page.getByRole('alert').waitFor();
  await open('/requests');
  const rows = page.getByRole('group', { name: 'Requests' }).locator('tbody tr');
  await rows.first().waitFor();
  await page.getByLabel('Path').fill('order-payins?limit=25&status');
  await page.getByLabel('Path').press('Enter');
  await rows.filter({ hasText: 'status=NONE' }).first().waitFor();
  await expect
    .poll(async () => (await rows.allTextContents()).every((text) => text.includes('status=NONE')))
    .toBe(true);
  await page.getByRole('combobox', { name: 'Company' }).selectOption({ index: 1 });
  await page.getByText('No requests found.').waitFor();
});

test('a day is written as all others on its screen', async () => {
  const { page, open } = await openConsole();
  await open('/clock');
  const day = page.getByLabel('Day');
  await day.fill('09/01/2031');
  await day.blur();
  expect(await day.inputValue()).toBe('09/01/2031');
  await page.getByRole('button', { name: 'To 09:00 of that day' }).waitFor();
});

test('a batch paid in part shows why a payment failed and what is still owed, and the money of the day what was paid', async () => {
  const { page, open, press, untilStatus } = await openConsole();
  await open('/new/payout-pix');
  await page.getByLabel('value').fill('15000.07');
  await press('Send');
  await untilStatus('PENDING');
  const batch = page.getByRole('region', { name: 'Batch' });
  for (const [sequence, status] of [
    ['1', 'PAID'],
    ['2', 'ERROR'],
  ] as const) {
    const row = batch.locator('tbody tr').filter({ has: page.locator('td:first-child', { hasText: sequence }) });
    await row.getByRole('button', { name: status }).click();
    await row.locator('.status', { hasText: status }).waitFor();
  }
  await untilStatus('PARTIALLY_PAID');
  const text = ((await batch.textContent()) ?? '').replaceAll(/\s/gu, ' ');
  expect(text).toContain('R$ 0,07 was not paid and is still owed');
  expect(text).toContain('DS04: ');
  await open('');
  const money = page.getByRole('region', { name: 'Money' });
  await money.getByText('as a table').click();
  const rows = await money.locator('tbody tr').allTextContents();
  expect(rows).toHaveLength(14);
  expect(rows.at(-1)?.replaceAll(/\s/gu, ' ')).toContain('R$ 15.000,00');
  expect(rows[0]?.replaceAll(/\s/gu, ' ')).toMatch(/R\$ 0,00R\$ 0,00$/u);
});
