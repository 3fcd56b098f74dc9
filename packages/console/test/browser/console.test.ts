import { expect, test } from 'vitest';
import { decodeObjects } from '#shared/core/br-code/tlv.ts';
import type { Resource } from '#functions/transitions.ts';
import { transitions } from '#functions/transitions.ts';
import { payInStatuses } from '#shared/pay-ins/model.ts';
import { payoutStatuses } from '#shared/payouts/model.ts';
import { scheduledPaymentStatuses } from '#shared/scheduled-payments/model.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';
import { centavos } from '#shared/core/money.ts';
import { showAmount } from '#console/page/format.ts';
import vectors from '#test/core/br-code-vectors.json' with { type: 'json' };
import { useConsole } from './console-page.ts';
import { each } from '#test/support/each.ts';

const openConsole = useConsole();

test('journey 3 with its refund, by clicks alone', async () => {
  const { page, baseUrl, open, press, follow, untilStatus, moves: buttons } = await openConsole();
  await open('');
  await page.getByRole('link', { name: 'Orders' }).click();
  await follow('New…');
  await press('Send');
  await untilStatus('PENDING_AUTHORIZATION');
  await follow('Open it on the payer’s phone');
  await press('Pay and authorize');
  await page.getByRole('link', { name: 'ACCEPTED' }).click();
  await untilStatus('ACCEPTED');
  await follow('its pay-in');
  await untilStatus('PAID');
  await press('Refund');
  await page.getByText('PENDING', { exact: true }).first().waitFor();
  await press('REFUNDED');
  await untilStatus('REFUNDED');
  expect(await buttons()).toEqual([]);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('link', { name: 'ORDER-PAYIN.REFUNDED' }).waitFor();
  const shownKinds = await timeline.locator('.kind').allTextContents();
  for (const kind of ['status', 'refund', 'ledger', 'delivery']) expect(shownKinds).toContain(kind);
  const moments = await timeline.locator('time').all();
  const times = await Promise.all(moments.map((one) => one.getAttribute('datetime')));
  expect(times).toEqual(times.toSorted());
  await timeline.locator('summary').last().click();
  await expect(timeline.locator('pre').last().textContent()).resolves.toContain(`curl -s '${baseUrl}/order/v1/`);
});

test('unexpected money is received, returned in two parts, and assigned to a pay-in, by clicks alone', async () => {
  const { page, open, press, follow, untilStatus } = await openConsole();
  await open('');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await follow('Simulate a payment…');
  await press('Send');
  await untilStatus('OPEN');
  await page.getByLabel('Amount, empty for all that is left').fill('10,00');
  await press('Return');
  const returns = page.getByRole('group', { name: 'Returns' }).locator('tbody tr');
  for (const [count, status] of [
    [1, 'OPEN'],
    [2, 'RETURNED'],
  ] as const) {
    await press('REFUNDED');
    await expect.poll(() => returns.getByText('SETTLED').count()).toBe(count);
    await untilStatus(status);
    if (status === 'OPEN') await press('Return');
  }
  expect(await page.getByRole('region', { name: 'Requests' }).count()).toBe(0);
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('link', { name: 'CREDIT.RETURNED' }).nth(1).waitFor();
  const shownKinds = await timeline.locator('.kind').allTextContents();
  for (const kind of ['status', 'return', 'ledger', 'delivery']) expect(shownKinds).toContain(kind);

  await open('/new/pay-in');
  await press('Send');
  await untilStatus('PENDING');
  const payIn = page.url().split('/').at(-1)!;
  await open('/new/credit');
  await page.locator('[data-field="amount.value"] input').fill('12.50');
  await press('Send');
  await untilStatus('OPEN');
  await page.getByLabel('Id of a pending pay-in of this account and amount').fill(payIn);
  await press('Assign');
  await untilStatus('ASSIGNED');
  const credit = page.url().split('/').at(-1)!;
  await follow(payIn.slice(0, 8));
  await untilStatus('PAID');
  await open('/ledger');
  await follow(`Credit ${credit.slice(0, 8)}`);
  await untilStatus('ASSIGNED');
});

test('a payer claims a payment back: it is blocked, defended and given back by clicks', async () => {
  const { page, open, press, follow, untilStatus } = await openConsole();
  await open('/new/pay-in');
  await press('Send');
  await press('PAID');
  await untilStatus('PAID');
  const payIn = page.url().split('/').at(-1)!;
  await press('Claim it back, as the payer');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('MED_BLOCKED').waitFor();
  await open('/disputes');
  await follow(/^[0-9a-f]{8}$/u);
  await untilStatus('OPEN');
  await page.getByLabel('Your answer').fill('It was delivered.');
  await press('Defend');
  await untilStatus('DEFENDED');
  await page.getByText('It was delivered.').waitFor();
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  await timeline.getByRole('link', { name: 'DISPUTE.ACCEPTED' }).waitFor();
  await timeline.getByText('MED_RETURNED').waitFor();
  await open(`/pay-ins/${payIn}`);
  await untilStatus('REFUNDED');
});

test('one click registers the built-in receiver, and what was held arrives there, signed as the console shows', async () => {
  const { page, baseUrl, open, press, follow, untilStatus } = await openConsole();
  await open('/new/pay-in');
  await press('Send');
  await press('PAID');
  await untilStatus('PAID');
  await page.getByRole('region', { name: 'Timeline' }).getByText('HELD').waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await press('Register the built-in receiver');
  await page.getByText('0 held').waitFor();
  await open('/deliveries?status=DELIVERED&event=ORDER-PAYIN.PAID');
  await follow(/^[0-9a-f]{8}$/u);
  await untilStatus('DELIVERED');
  const id = page.url().split('/').at(-1);
  const inbox = (await (await fetch(`${baseUrl}/receiver/console`)).json()) as {
    readonly received: readonly { readonly webhookId: string; readonly body: string; readonly headers: Headers }[];
  };
  type Headers = Readonly<Record<string, string>>;
  const came = inbox.received.find(({ webhookId }) => webhookId === id);
  const bytes = page.getByRole('region', { name: 'Bytes' });
  expect(await bytes.locator('pre').textContent()).toBe(came!.body);
  const shown = await page.getByRole('region', { name: 'Attempts' }).locator('dd').allTextContents();
  for (const name of ['x-signature-sha256', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(shown).toContain(came!.headers[name]);
});

test('the buttons are the rows of the table of moves, for every resource and status', async () => {
  const { page, open, press, untilStatus, moves: buttons } = await openConsole();
  await open('/new/journey-2');
  await press('Send');
  await press('ACCEPTED');
  await untilStatus('ACCEPTED');
  const subscription = page.url();
  await page.getByRole('button', { name: /^Schedule/u }).click();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await untilStatus('PENDING');
  const payment = page.url();
  await open('/new/pay-in');
  await press('Send');
  await untilStatus('PENDING');
  const payIn = page.url();
  await open('/new/payout-pix');
  await press('Send');
  await untilStatus('PENDING');
  const payout = page.url();
  type Tried = readonly [resource: Resource, address: string, operation: string, statuses: readonly string[]];
  const tried: readonly Tried[] = [
    ['SUBSCRIPTION', subscription, 'getSubscription', subscriptionStatuses],
    ['SCHEDULED_PAYMENT', payment, 'getScheduledPayment', scheduledPaymentStatuses],
    ['PAY_IN', payIn, 'getPayIn', payInStatuses],
    ['PAYOUT', payout, 'getPayout', payoutStatuses],
  ];
  for (const [resource, address, operation, statuses] of tried)
    for (const status of each(statuses)) {
      // The answer of the service, but for its status: so that every status can be seen.
      const asked = `**/console/api/companies/*/${operation}`;
      await page.route(asked, async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { body: object };
        await route.fulfill({ response, json: { ...answer, body: { ...answer.body, status } } });
      });
      await page.goto('about:blank');
      await page.goto(address);
      await untilStatus(status);
      const rows = transitions[resource].bank.filter(([from]) => from === status).map(([, trigger]) => trigger);
      expect(await buttons(), `${resource} ${status}`).toEqual(rows);
      await page.unroute(asked);
    }
});

test('the payer’s phone reads the published BR Codes as the codec does', async () => {
  const { page, open } = await openConsole();
  for (const { id, payload, expected } of each(vectors)) {
    await open('/phone');
    await page.getByLabel(/^BR Code/u).fill(payload);
    await page.getByRole('button', { name: 'Read' }).click();
    if (expected.kind === 'INVALID') {
      await page.getByRole('alert').getByText('This code cannot be paid.').waitFor();
      continue;
    }
    const codeRegion = page.getByRole('region', { name: 'Content of the code' });
    await codeRegion.waitFor();
    const shown = await codeRegion.locator('dd').allTextContents();
    const {
      kind: _kind,
      amount,
      ...expectedTexts
    } = expected as Readonly<Record<string, string>> & { readonly amount?: number };
    for (const text of Object.values(expectedTexts)) expect(shown, id).toContain(text);
    if (amount !== undefined) expect(shown, id).toContain(showAmount(centavos(amount)));
    const objects = decodeObjects(payload);
    expect(shown, id).toContain(typeof objects === 'string' ? objects : objects.get('59'));
  }
});
