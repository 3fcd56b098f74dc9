import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { ReplaceWebhookSettings } from '#functions/webhooks/replace/contract.ts';
import { ResendDelivery } from '#functions/webhooks/resend-delivery/contract.ts';
import { TestWebhook } from '#functions/webhooks/send-test/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { signatureErrors } from '@banking-order/partner-tools';
import { hang } from '../support/misbehaving.ts';
import { refused } from '../support/refusals.ts';
import { isAbout, PayInNotification, verified } from './notifications.ts';
import { activeAccount, eventually, first, second, useReceiver } from './partners.ts';
import { payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const read = async (id: string) => (await first.call(GetDelivery, { params: { id } })).body;
const list = async (query: Record<string, string>) => (await first.call(ListDeliveries, { query })).body;

/** A pay-in that was paid: one notification of type PAYIN. */
async function paid(): Promise<string> {
  const { body } = await first.call(CreatePayIn, { body: payIn(activeAccount(first).id) });
  await first.call(ForceOrderStatus, { body: { id: body.id, status: 'PAID' } });
  return body.id;
}

async function delivered(events: Inbox, orderId: string): Promise<string> {
  const [notification] = await events.until(isAbout(orderId));
  const { id } = notification!;
  await eventually(
    () => read(id),
    ({ status }) => status === 'DELIVERED',
  );
  return id;
}

describe('the delivery log', () => {
  test('shows a delivery with what was sent and how it was answered', async () => {
    const events = inbox();
    await sendEverythingTo(first, events);
    const orderId = await paid();
    const id = await delivered(events, orderId);
    const record = await read(id);
    expect(record).toMatchObject({
      id,
      event: 'ORDER-PAYIN.PAID',
      resource: { type: 'PAY_IN', id: orderId },
      status: 'DELIVERED',
      endpoint: events.url,
      attemptsCount: 1,
      payload: { id: orderId },
      attempts: [{ number: 1, outcome: 'DELIVERED', httpStatus: 200, returnCode: 'SUCCESS' }],
    });
    const { payload: _payload, attempts: _attempts, ...summary } = record;
    const { data } = await list({ event: 'ORDER-PAYIN.PAID', limit: '5' });
    expect(data.find((entry) => entry.id === id)).toEqual(summary);
  });

  test('filters by status and event, and pages without gap or repetition', async () => {
    const events = inbox();
    await sendEverythingTo(first, events);
    for (let n = 0; n < 5; n++) await delivered(events, await paid());
    const filters = { status: 'DELIVERED', event: 'ORDER-PAYIN.PAID' };
    const whole = await list({ ...filters, limit: '100' });
    const expected = whole.data.slice(0, 5).map(({ id }) => id);
    expect(whole.data.every(({ status, event }) => status === 'DELIVERED' && event === 'ORDER-PAYIN.PAID')).toBe(true);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null && seen.length < expected.length;) {
      const page = await list({ ...filters, limit: '2', ...(cursor !== '' && { cursor }) });
      expect(page.data).toHaveLength(2);
      expect(page.hasNext).toBe(page.nextCursor !== null);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen.slice(0, 5)).toEqual(expected);
    const [newest, older] = whole.data;
    expect(newest!.createdAt >= older!.createdAt).toBe(true);
  });

  test('finds the deliveries of one order by its resourceId, for its own company alone', async () => {
    const events = inbox();
    await sendEverythingTo(first, events);
    const [orderId] = [await paid(), await paid()];
    const id = await delivered(events, orderId);
    const { data } = await list({ resourceId: orderId });
    expect(data).toMatchObject([{ id, event: 'ORDER-PAYIN.PAID', resource: { type: 'PAY_IN', id: orderId } }]);
    expect(await list({ resourceId: orderId, createdAfter: data[0]!.createdAt })).toMatchObject({ data: [] });
    expect((await second.call(ListDeliveries, { query: { resourceId: orderId } })).body.data).toEqual([]);
  });

  test('refuses a cursor that was changed, or belongs to other filters or another company', async () => {
    const { nextCursor } = await list({ limit: '1' });
    const cursor = nextCursor!;
    const middle = Math.floor(cursor.length / 2);
    const changed = `${cursor.slice(0, middle)}${cursor[middle] === 'A' ? 'B' : 'A'}${cursor.slice(middle + 1)}`;
    const attempts = [
      first.refused(ListDeliveries, { query: { limit: '1', cursor: changed } }),
      first.refused(ListDeliveries, { query: { limit: '1', cursor: 'nonsense' } }),
      first.refused(ListDeliveries, { query: { limit: '1', status: 'FAILED', cursor } }),
      second.refused(ListDeliveries, { query: { limit: '1', cursor } }),
    ];
    for (const response of await Promise.all(attempts)) refused(response, 400, ['cursor:INVALID_VALUE']);
  });

  test.each([
    [{ limit: '0' }, 'limit:OUT_OF_RANGE'],
    [{ limit: '101' }, 'limit:OUT_OF_RANGE'],
    [{ limit: 'ten' }, 'limit:INVALID_TYPE'],
    [{ status: 'LOST' }, 'status:INVALID_VALUE'],
    [{ order: 'asc' }, 'order:UNKNOWN_FIELD'],
  ])('refuses %j', async (query, fault) => {
    refused(await first.refused(ListDeliveries, { query }), 400, [fault]);
  });

  test('answers 404 for an unknown delivery id', async () => {
    refused(await first.refused(GetDelivery, { params: { id: randomUUID() } }), 404);
  });
});

test('a delivery sent again is a new one with the same bytes under the same webhook-id, also of a resend', async () => {
  const events = inbox();
  await sendEverythingTo(first, events);
  const orderId = await paid();
  const id = await delivered(events, orderId);
  const before = await read(id);
  const { body } = await first.call(ResendDelivery, { params: { id }, body: {} });
  expect(body).toMatchObject({ webhookId: id, resendOf: id });
  expect(body.id).not.toBe(id);
  await events.until(isAbout(orderId), 2);
  const { body: third } = await first.call(ResendDelivery, { params: { id: body.id }, body: {} });
  expect(third).toMatchObject({ webhookId: id, resendOf: id });
  const calls = await events.until(isAbout(orderId), 3);
  for (const call of calls) {
    expect(call.id).toBe(id);
    expect(call.raw.equals(calls[0]!.raw)).toBe(true);
    expect(signatureErrors(call, first.webhookSecret)).toEqual([]);
  }
  expect(await read(id)).toEqual({ ...before, resentAs: third.id });
  const resends = [body.id, third.id];
  const all = async () => (await list({ resourceId: orderId })).data;
  const settled = await eventually(all, (data) => data.every(({ status }) => status === 'DELIVERED'));
  expect(settled.map((one) => one.id).toSorted()).toEqual([id, ...resends].toSorted());
});

test('a held delivery is listed as open until a resend of it is delivered', async () => {
  await first.call(ReplaceWebhookSettings, { body: { events: [] } });
  const orderId = await paid();
  const open = async (more: Record<string, string> = {}) =>
    (await list({ open: 'true', limit: '100', ...more })).data.filter(({ resource }) => resource.id === orderId);
  const [held] = await eventually(open, (data) => data.length === 1);
  expect(held).toMatchObject({ status: 'HELD', webhookId: held!.id });
  expect((await first.call(ResendDelivery, { params: { id: held!.id }, body: {} })).body.resendOf).toBe(held!.id);
  await eventually(open, (data) => data.length === 2);
  const events = inbox();
  await sendEverythingTo(first, events);
  const [call] = await events.until(isAbout(orderId));
  expect(call!.id).toBe(held!.id);
  for (const more of [{}, { resourceId: orderId }, { status: 'HELD' }])
    expect(
      await eventually(
        () => open(more),
        (data) => data.length === 0,
      ),
    ).toEqual([]);
});

test.each(['PAYIN', 'PAYIN_REFUND', 'PAYOUT', 'CREDIT'] as const)(
  'a test notification of type %s is sent and signed',
  async (type) => {
    const events = inbox();
    await sendEverythingTo(first, events);
    const sent = (await first.call(TestWebhook, { body: { type } })).body;
    const [notification] = await events.until(({ id }) => id === sent.id);
    expect(signatureErrors(notification!, first.webhookSecret)).toEqual([]);
    expect(
      await eventually(
        () => read(notification!.id),
        ({ status }) => status === 'DELIVERED',
      ),
    ).toMatchObject({
      status: 'DELIVERED',
      endpoint: events.url,
    });
  },
);

describe('an event whose type has no active endpoint', () => {
  test.each([
    ['no endpoint', []],
    ['an inactive endpoint', [{ type: 'PAYIN', endpoint: 'https://partner.example.com/', status: 'INACTIVE' }]],
  ] as const)('is held when the settings have %s, and is sent when one becomes active', async (_what, endpoints) => {
    await first.call(ReplaceWebhookSettings, { body: { events: [...endpoints] } });
    const tried = await first.refused(TestWebhook, { body: { type: 'PAYIN' } });
    refused(tried, 409, ['type:INVALID_VALUE']);
    const orders = [await paid(), await paid(), await paid()];
    const held = async () => (await list({ status: 'HELD', event: 'ORDER-PAYIN.PAID', limit: '100' })).data;
    await eventually(held, (data) => data.length >= 3);
    const events = inbox();
    await sendEverythingTo(first, events);
    for (const id of orders) await events.until(isAbout(id));
    const ownNotifications = events.received.filter((one) => orders.some((id) => isAbout(id)(one)));
    expect(ownNotifications).toHaveLength(3);
    const notifiedIds = ownNotifications.map((one) => verified(one, PayInNotification, first.webhookSecret).id);
    // They are sent oldest first; concurrent calls may arrive in another order.
    expect(notifiedIds.toSorted()).toEqual(orders.toSorted());
    expect(await eventually(held, (data) => data.length === 0)).toEqual([]);
  });
});

test('a company whose receiver fails does not delay another company', async () => {
  const events = inbox('healthy');
  await sendEverythingTo(second, events);
  const waited = async (): Promise<number> => {
    const started = Date.now();
    const { body } = await second.call(CreatePayIn, { body: payIn(activeAccount(second).id) });
    await second.call(ForceOrderStatus, { body: { id: body.id, status: 'PAID' } });
    const [notification] = await events.until(isAbout(body.id));
    return notification!.at - started;
  };
  const aloneMs = await waited();
  const broken = inbox('broken');
  broken.reply(hang);
  await sendEverythingTo(first, broken);
  for (let n = 0; n < 6; n++) await paid();
  await broken.until(() => true);
  expect(await waited()).toBeLessThan(Math.max(10_000, 10 * aloneMs));
  broken.reply({ kind: 'ok' });
});
