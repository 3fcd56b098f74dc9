import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { brasiliaDate, instantFromEpochMs, plusDays } from '#shared/core/brasilia-time.ts';
import { useConsole } from './console-page.ts';

const openConsole = useConsole();

test('a subscription is settled for a year, each month by one click', async () => {
  const { page, open, press, follow, untilStatus } = await openConsole();
  const turnTo = async (day: string): Promise<void> => {
    await open('/clock');
    await page.getByLabel('Day').fill(day);
    await press('To 09:00 of that day');
    await page.getByRole('heading', { name: /jobs? run/u }).waitFor();
  };
  // The hour at which the test runs decides nothing: the story begins tomorrow at 09:00.
  const firstDay = plusDays(brasiliaDate(instantFromEpochMs(Date.now())), 1);
  await turnTo(firstDay);
  await open('/clock');
  await page.getByLabel('Day').fill(firstDay);
  await page.getByText('09:00 of that day is past.').waitFor();
  await open('/new/journey-2');
  await press('Send');
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  const rows = page.getByRole('group', { name: 'Scheduled payments' }).locator('tbody tr');
  for (let month = 0; month < 12; month += 1) {
    await press('Advance to the next charge and settle it');
    await rows.nth(month).waitFor();
    await page.getByRole('button', { name: 'Advance to the next charge' }).and(page.locator(':enabled')).waitFor();
  }
  await expect.poll(() => rows.getByText('COMPLETED').count()).toBe(12);
  const days = await rows.locator('td:first-child').allTextContents();
  const sortable = days.map((day) => day.split('/').toReversed().join('-'));
  expect(sortable).toEqual(sortable.toSorted().toReversed());
  expect(await page.locator('.calendar a.good').count()).toBe(12);
  await follow('Settled pay-in');
  await untilStatus('PAID');
  await open('/ledger');
  const entries = page.getByRole('row').filter({ hasText: 'PAY_IN' });
  await entries.nth(11).waitFor();
  expect(await entries.count()).toBe(12);
});

test('a receiver that answers 500, 500, 200 is seen as three attempts, live', async () => {
  const { page, baseUrl, open, press, untilStatus } = await openConsole();
  const script = { replies: [{ status: 500 }, { status: 500 }, { status: 200 }] };
  await fetch(`${baseUrl}/receiver/console`, { method: 'PUT', body: JSON.stringify(script) });
  await open('/new/journey-2');
  await press('Send');
  await press('REJECTED');
  await untilStatus('REJECTED');
  await page.getByRole('main').getByRole('link', { name: 'SUBSCRIPTION.REJECTED' }).click();
  await untilStatus('DELIVERED');
  const response = page.getByRole('region', { name: 'Attempts' }).locator('.answer');
  await response.nth(2).waitFor();
  const responses = await response.allTextContents();
  expect(responses).toEqual(['500 STATUS', '500 STATUS', '200']);
  await fetch(`${baseUrl}/receiver/console`, { method: 'DELETE' });
});

test('a refused request is listed with its id and its invalid fields, and without personal data', async () => {
  const { page, open, press } = await openConsole();
  await open('/new/pay-in');
  const field = (path: string) => page.locator(`[data-field="${path}"]`);
  await field('amount.value').locator('input').fill('12.505');
  await field('payer.name').locator('input').fill('Joana Prado');
  await press('Send');
  // The fault stands at its field, which is what the keyboard writes into next.
  await field('amount.value').locator('.fault').first().waitFor();
  await expect(field('amount.value').locator('input').getAttribute('aria-invalid')).resolves.toBe('true');
  const statusMessage = page.getByRole('status');
  await statusMessage.getByText('amount.value').waitFor();
  const [requestId = ''] = /[0-9a-f-]{36}/u.exec((await statusMessage.textContent()) ?? '') ?? [];
  await open('/requests');
  const row = page.getByRole('row').filter({ hasText: requestId });
  await row.getByText('amount.value').waitFor();
  await row.getByText('body').click();
  const seen = (await row.textContent()) ?? '';
  expect(seen).toContain('12.505');
  expect(seen).not.toContain('Joana');
});

test('npm run console shows the same environment from a server of its own', async () => {
  const options = ['--sandbox', openConsole.sandboxFile, '--port', '0'];
  const child = spawn(process.execPath, ['tools/kit/command.ts', 'console', ...options]);
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const origin = /http:\/\/127\.0\.0\.1:\d+/u.exec(line)![0];
    const { page, open, baseUrl } = await openConsole(origin);
    expect(line).toContain(` for ${baseUrl} `);
    expect(origin).not.toBe(baseUrl);
    await open('');
    await page.getByRole('region', { name: 'Accounts' }).getByRole('row').nth(1).waitFor();
    await open('/requests');
    await page.getByText('Requests of this console').waitFor();
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
