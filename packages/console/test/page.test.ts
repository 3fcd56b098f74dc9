import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { routes } from '#functions/routes.ts';
import { next2059, nextDueDate, nextJob } from '#console/page/due.ts';
import { showChange, showDecimal, showInstant, withBalances } from '#console/page/format.ts';
import { curlOf } from '#console/page/requests.ts';
import { samplesFor } from '#console/page/samples.ts';
import type { Delivery, Step } from '#console/page/timeline.ts';
import { deliverySteps, mergeSteps } from '#console/page/timeline.ts';
import { operationIds } from '#console/protocol.ts';
import { readRoutes } from '#console/server/call-service.ts';
import { buildPage } from '#console/server/page-files.ts';
import { each } from '#test/support/each.ts';

test('the page is complete, smaller than 54 kB, and has no inline script or style', async () => {
  const files = await buildPage();
  const all = Object.values(files);
  expect(all.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThan(54_000);
  const html = gunzipSync(files['']!.body).toString();
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/u);
  for (const name of ['page.js', 'page.css']) {
    expect(html).toContain(name);
    expect(gunzipSync(files[name]!.body).length).toBeGreaterThan(1000);
  }
  for (const { headers } of all)
    expect(headers['Content-Security-Policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/u);
});

test('a request as curl has its key and body, and a variable where the token goes', () => {
  const known = { baseUrl: 'https://hml.example.com', routes: readRoutes() };
  const key = 'b3c1e6a0-6f0b-4b57-9f3b-2f7a1c9d8e10';
  const body = { description: "It's back" };
  expect(curlOf(known, { operation: 'refundPayIn', params: { id: 'a/b' }, body }, key)).toBe(
    [
      "curl -s -X POST 'https://hml.example.com/order/v1/banking/order-payins/a%2Fb/refunds'",
      '-H "authorization: Bearer $TOKEN"',
      `-H 'idempotency-key: ${key}'`,
      "-H 'content-type: application/json'",
      String.raw`-d '{"description":"It'\''s back"}'`,
    ].join(' \\\n  '),
  );
  expect(curlOf(known, { operation: 'listPayIns', query: { status: 'PAID' } }, key)).toBe(
    [
      "curl -s 'https://hml.example.com/order/v1/banking/order-payins?status=PAID'",
      '-H "authorization: Bearer $TOKEN"',
    ].join(' \\\n  '),
  );
});

test('amounts and times are written as in Brazil', () => {
  expect(showDecimal('9999999999.99').replaceAll(/\s/gu, ' ')).toBe('R$ 9.999.999.999,99');
  expect(showChange('0.00')).not.toContain('+');
  expect(showChange('1.50')).toContain('+');
  expect(showChange('-1.50')).toMatch(/^-/u);
  expect(showInstant('2030-01-10T02:59:59.000Z')).toBe('09/01/2030, 23:59:59');
  expect(showInstant(null)).toBe('–');
});

test('each entry has the balance after it', () => {
  const entry = (id: string, available: string, reserved: string, blocked = '0.00') => ({
    ...{ id, available, reserved, blocked, accountId: 'a', type: 'PAY_IN' as const },
    createdAt: '2030-01-10T00:00:00.000Z',
  });
  const entries = [
    entry('4', '-5.00', '0.00', '5.00'),
    ...[entry('3', '-10.00', '10.00'), entry('2', '0.10', '0.00'), entry('1', '100.20', '0.00')],
  ];
  const now = { available: '85.30', reserved: '10.00', blocked: '5.00' };
  expect(withBalances(entries, now).map(({ balance }) => balance)).toEqual([
    { available: 8530, reserved: 1000, blocked: 500 },
    { available: 9030, reserved: 1000, blocked: 0 },
    { available: 10030, reserved: 0, blocked: 0 },
    { available: 10020, reserved: 0, blocked: 0 },
  ]);
});

test('a timeline is in the order of time, causes before what follows from them', () => {
  const step = (at: string, kind: Step['kind']): Step => ({
    ...{ at, kind, title: kind, asked: { operation: 'listAccounts' } },
  });
  const [early, late] = ['2030-01-10T00:00:00.000Z', '2030-01-10T00:00:01.000Z'];
  const merged = mergeSteps(
    [step(late, 'delivery'), step(early, 'delivery')],
    [step(late, 'status'), step(late, 'ledger')],
  );
  expect(merged.map(({ at, kind }) => [at, kind])).toEqual([
    [early, 'delivery'],
    [late, 'status'],
    [late, 'ledger'],
    [late, 'delivery'],
  ]);
});

test('a delivery stands in the timeline at the time in its payload, not at that of the machine’s clock', () => {
  const delivery: Omit<Delivery, 'payload'> = {
    id: 'd',
    webhookId: 'd',
    event: 'ORDER-PAYIN.PAID',
    status: 'DELIVERED',
    resource: { type: 'PAY_IN', id: 'p' },
    endpoint: null,
    attemptsCount: 1,
    lastAttemptAt: null,
    nextAttemptAt: null,
    attempts: [],
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  const [first, second, third] = deliverySteps([
    { ...delivery, payload: { updatedAt: '2030-01-01T00:00:00.000Z' } },
    { ...delivery, payload: { occurredAt: '2031-01-01T00:00:00.000Z' } },
    { ...delivery, payload: {} },
  ]);
  expect([first!.at, second!.at, third!.at]).toEqual([
    ...['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ]);
});

test.each([
  ['the first cycle', 'MONTHLY', [], '2030-01-01T12:00:00.000Z', '2030-01-31'],
  ['the shorter month', 'MONTHLY', ['2030-01-31'], '2030-01-01T12:00:00.000Z', '2030-02-28'],
  ['the day itself, before 21:00', 'MONTHLY', [], '2030-01-31T23:59:00.000Z', '2030-01-31'],
  ['the next cycle, after 21:00', 'MONTHLY', [], '2030-02-01T00:00:00.000Z', '2030-02-28'],
  ['a cycle that has not gone by', 'WEEKLY', [], '2030-02-08T12:00:00.000Z', '2030-02-14'],
  ['a year later', 'ANNUAL', ['2030-01-31'], '2030-01-01T12:00:00.000Z', '2031-01-31'],
] as const)('the next payment is due on %s', (_name, frequencyType, dueDates, now, expected) => {
  const payments = dueDates.map((dueDate) => ({ dueDate }));
  expect(nextDueDate({ startDate: '2030-01-31', frequencyType }, payments, now)).toBe(expected);
});

test('the clock goes to the next 20:59, and to the next job of what is open', () => {
  expect(next2059('2030-01-10T23:58:00.000Z')).toBe('2030-01-10T23:59:00.000Z');
  expect(next2059('2030-01-10T23:59:00.000Z')).toBe('2030-01-11T23:59:00.000Z');
  const payment = (status: 'PENDING' | 'COMPLETED', settlementDate: string) => ({
    ...{ id: settlementDate, subscriptionId: 's', status, settlementDate },
  });
  const payments = [
    payment('COMPLETED', '2030-01-11'),
    payment('PENDING', '2030-01-12'),
    payment('PENDING', '2030-01-09'),
  ];
  const now = '2030-01-10T12:00:00.000Z';
  expect(nextJob(now, [], payments)).toMatchObject({ at: '2030-01-12T03:00:00.000Z' });
  const expiring = [{ id: 'p', expireDateTime: '2030-01-11T00:00:00.000Z' }];
  expect(nextJob(now, expiring, payments)).toMatchObject({ at: '2030-01-11T00:00:00.000Z', link: ['pay-ins', 'p'] });
  expect(nextJob('2031-01-01T00:00:00.000Z', expiring, payments)).toBeUndefined();
});

test('samples are accepted by the contracts of their operations', () => {
  const samples = samplesFor({
    accountId: '123e4567-e89b-42d3-a456-426614174000',
    today: '2030-01-10',
    webhookUrl: 'https://partner.example.com/notifications',
    newId: () => '123e4567-e89b-42d3-a456-426614174001',
  });
  for (const { operation, body } of each(Object.values(samples))) {
    expect(operationIds[operation]).toBe(true);
    const { contract } = routes.find((one) => one.contract.operationId === operation)!;
    expect(contract.body.safeParse(body).error?.issues).toBeUndefined();
  }
});
