import { expect, test } from 'vitest';
import { brasiliaDate, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { useConsole } from './console-page.ts';

const openConsole = useConsole();

test('endpoints are registered, tested, switched off and on, and an outage is sent again, by clicks alone', async () => {
  const { page, baseUrl, open, press, untilStatus } = await openConsole();
  const inbox = `${baseUrl}/receiver/by-hand`;
  await fetch(inbox, { method: 'PUT', body: JSON.stringify({ replies: [{ status: 500 }] }) });
  await open('/webhooks');
  for (const type of ['PAYIN', 'PAYOUT']) await page.getByLabel(type, { exact: true }).fill(inbox);
  await page.getByLabel('PAYOUT is active').uncheck();
  await press('Save');
  const rows = page.getByRole('group', { name: 'Endpoints' }).locator('tbody tr');
  await rows.filter({ hasText: 'PAYOUT' }).getByText('INACTIVE').waitFor();
  expect(await rows.allTextContents()).toEqual([
    expect.stringContaining(`PAYIN${inbox}ACTIVE`),
    expect.stringContaining(`PAYOUT${inbox}INACTIVE`),
  ]);
  await press('Test PAYIN');
  await untilStatus('FAILED');
  await fetch(inbox, { method: 'DELETE' });
  await open('/webhooks');
  const [year, month, day] = brasiliaDate(instantFromEpochMs(Date.now())).split('-');
  const since = [day, month, year].join('/');
  await page.getByLabel('Since').fill(since);
  await press(`Send again since ${since}`);
  await page.getByRole('status').getByText('The resend begins within a minute').waitFor();
  expect(await page.getByRole('region', { name: 'A new secret' }).textContent()).toContain('rotate-secret');
});

test('an address that fails is shown with its reason and what waits, and can be released', async () => {
  const { page, open } = await openConsole();
  const endpoint = 'https://down.example.com:8443';
  const failing = { state: 'OPEN', failingSince: '2026-01-15T12:00:00.000Z', reason: 'HTTP 503' };
  const busy = { endpoint: 'https://busy.example.com/', state: 'BUSY', waiting: 3, waitingExact: true };
  const data = [{ endpoint, ...failing, waiting: 1000, waitingExact: false }, busy];
  const response = (body: object) => ({ json: { status: 200, requestId: 'r-1', body } });
  // Fifty failures, or days, would have to come first.
  await page.route('**/listWebhookEndpoints', (route) =>
    route.fulfill(response({ data, nextCursor: null, hasNext: false })),
  );
  const released: unknown[] = [];
  await page.route('**/releaseWebhookEndpoint', (route) => {
    released.push(route.request().postDataJSON());
    return route.fulfill(response({ endpoint, state: 'HALF_OPEN', waiting: 1000, waitingExact: false }));
  });
  await open('/webhooks');
  const rows = page.getByRole('group', { name: 'Addresses with problems' }).locator('tbody tr');
  const row = rows.filter({ hasText: endpoint });
  await row.waitFor();
  const cells = await row.locator('td').allTextContents();
  expect(cells.map((cell) => cell.trim())).toEqual([
    ...[endpoint, 'OPEN', expect.stringContaining('ago'), 'HTTP 503', '1000 or more', 'Release'],
  ]);
  expect(await row.locator('time').getAttribute('title')).toBe('15/01/2026, 09:00:00');
  expect(await rows.filter({ hasText: 'busy' }).getByRole('button').count()).toBe(0);
  await row.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('status').getByText('Released').waitFor();
  expect(released).toEqual([{ body: { endpoint } }]);
});
