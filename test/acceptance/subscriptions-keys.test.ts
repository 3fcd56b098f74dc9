import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { activeAccount, first, second } from './partners.ts';
import { brl, journey2, journey3 } from './samples.ts';
import { refused } from '../support/refusals.ts';

const accountId = activeAccount(first).id;

test('the same key and request give the first answer again, byte for byte, even when the subscription has moved on', async () => {
  const ask = { key: randomUUID(), body: journey3(accountId) };
  const once = await first.call(CreateSubscription, ask);
  await first.call(ForceSubscriptionStatus, { body: { id: once.body.id, status: 'ACCEPTED' } });
  const again = await first.call(CreateSubscription, ask);
  expect(again.received.text).toBe(once.received.text);
  expect(again.status).toBe(201);
  expect(once.received.headers).not.toHaveProperty('idempotent-replayed');
  expect(again.received.headers['idempotent-replayed']).toBe('true');
});

test('the same amount written in another way is the same request', async () => {
  const key = randomUUID();
  const body = journey2(accountId, { fixedAmount: brl(10) });
  const once = await first.call(CreateSubscription, { key, body });
  for (const value of ['10', '10.0', '10.00']) {
    const again = await first.call(CreateSubscription, { key, body: { ...body, fixedAmount: brl(value) } });
    expect(again.received.text).toBe(once.received.text);
  }
});

test('the order of fields makes no other request', async () => {
  const key = randomUUID();
  const body = journey2(accountId);
  const once = await first.call(CreateSubscription, { key, body });
  const reversed = Object.fromEntries(Object.entries(body).toReversed()) as typeof body;
  expect((await first.call(CreateSubscription, { key, body: reversed })).received.text).toBe(once.received.text);
});

test('the same key for another request is refused, and neither is carried out', async () => {
  const key = randomUUID();
  await first.call(CreateSubscription, { key, body: journey2(accountId) });
  const other = await first.refused(CreateSubscription, { key, body: journey2(accountId) });
  refused(other, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
});

test('twenty equal requests at once make one subscription and twenty equal answers', async () => {
  const ask = { key: randomUUID(), body: journey3(accountId) };
  const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(CreateSubscription, ask)));
  expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
  expect(responses.filter(({ received }) => received.headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
});

test('twenty requests with one external id at once make one subscription', async () => {
  const body = journey2(accountId);
  const responses = await Promise.all(Array.from({ length: 20 }, () => first.answer(CreateSubscription, { body })));
  const statuses = responses.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
});

test('an answer decided before anything was written is not remembered: the key may succeed later', async () => {
  const key = randomUUID();
  const body = journey2(accountId);
  await first.refused(CreateSubscription, { key, body: { ...body, frequencyType: 'DAILY' } });
  await first.refused(CreateSubscription, { key, body: { ...body, accountId: randomUUID() } });
  const created = await first.call(CreateSubscription, { key, body });
  expect(created.received.headers).not.toHaveProperty('idempotent-replayed');
});

test('a key belongs to its company', async () => {
  const key = randomUUID();
  const own = await first.call(CreateSubscription, { key, body: journey2(accountId) });
  const theirs = await second.call(CreateSubscription, { key, body: journey2(activeAccount(second).id) });
  expect(theirs.body.id).not.toBe(own.body.id);
  await second.refused(GetSubscription, { params: { id: own.body.id } });
});
