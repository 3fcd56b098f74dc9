import { expect, test } from 'vitest';
import { useConsole } from './console-page.ts';

const openConsole = useConsole();

test('anything is found by its id or external id, from the keyboard', async () => {
  const { page, open, press, untilStatus } = await openConsole();
  await open('/new/pay-in');
  await press('Send');
  await untilStatus('PENDING');
  const payIn = page.url();
  const shown = page.locator('dl.facts dd');
  const [externalId = ''] = (await shown.allTextContents()).filter((text) => text.startsWith('console-'));
  await open('/new/credit');
  await press('Send');
  await untilStatus('OPEN');
  const credit = page.url();
  const [endToEndId = ''] = (await shown.locator('code').allTextContents()).filter((text) => /^E\w{31}$/u.test(text));
  await open('/new/journey-2');
  await press('Send');
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  await page.getByRole('button', { name: /^Schedule/u }).click();
  const link = (await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href'))!;
  const payment = link.split('/').at(-1)!;
  for (const [text, found] of [
    [payIn.split('/').at(-1)!, payIn],
    [externalId, payIn],
    [credit.split('/').at(-1)!, credit],
    [endToEndId, credit],
    [payment, link],
  ] as const) {
    await open('');
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(found.replace(/^.*#/u, '#'));
  }
  await open('/search?text=nobody-has-this');
  await page
    .getByText('This company has no record with the id, external id or end-to-end id nobody-has-this.')
    .waitFor();
});

test('keys open screens and their list, but not while something is written', async () => {
  const { page, open } = await openConsole();
  await open('');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard' });
  await help.getByText('Search by any id or external id').waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await page.getByLabel('Event').fill('g');
  await page.getByLabel('Event').press('n');
  expect(page.url()).toContain('/deliveries');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  await page.getByRole('heading', { level: 1, name: 'New' }).waitFor();
});

test('the language is switched at once, stays, and leaves codes as they are', async () => {
  const { page, open } = await openConsole();
  await open('/pay-ins?status=PAID');
  await page.getByRole('button', { name: 'Português' }).click();
  await page.getByRole('heading', { level: 1, name: 'Recebimentos' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Recebimentos' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
  expect(await page.getByLabel('Situação').inputValue()).toBe('PAID');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('heading', { level: 1, name: 'Pay-ins' }).waitFor();
});
