import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { account, companyOne, otherCompany, payInBody } from '../support/bank-world.ts';
import type { TestEngine } from '../support/engine.ts';
import { startEngine } from '../support/engine.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

/**
 * Operations on the real engine: what the store in memory cannot show, such as maps that come back in another order.
 */

let engine: TestEngine;
let world: SubscriptionWorld;
beforeAll(async () => {
  engine = await startEngine('operations');
  const store: Store = dynamoStore({ client: engine.client, tableName: engine.tableName });
  world = subscriptionWorld({ wrap: () => store });
  await world.openAccount(0);
  await world.openAccount(0, { companyId: otherCompany });
});
afterAll(async () => {
  await engine.stop();
});

const atOnce = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, work));

test('20 equal concurrent requests create one subscription, and get the same response, byte for byte', async () => {
  const body = compositeBody({ payer: { document: { number: '52998224725', type: 'CPF' }, name: 'Maria' } });
  const responses = await atOnce(() => world.create({ companyId: companyOne, body, key: 'create' }));
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(201);
  expect(responses.filter(({ headers }) => !('idempotent-replayed' in headers))).toHaveLength(1);
});

test('20 equal concurrent cancellations create one request, and a later replay gets the same response', async () => {
  const created = await world.create({ companyId: companyOne, body: subscriptionBody() });
  const { id } = created.body as CreatedSubscription;
  expect((await world.forceSubscription(id, 'ACCEPTED')).status).toBe(200);
  const customer = { document: { number: '52998224725', type: 'CPF' } };
  const body = { customer, reason: 'FRAUD_SUSPICION' };
  const cancel = () => world.cancel({ companyId: companyOne, key: 'cancel', body, params: { id } });
  const responses = await atOnce(cancel);
  await world.forceSubscription(id, 'CANCELED');
  responses.push(await cancel());
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect((await world.get(id)).body).toMatchObject({
    status: 'CANCELED',
    cancellations: [{ status: 'ACCEPTED', customer }],
  });
  refused(await world.get(id, otherCompany), 404);
});

test('a pay-in is credited once by 20 concurrent payments, and the other 19 are refused with 409', async () => {
  const created = await world.createPayIn({ companyId: companyOne, key: 'pay-in', body: payInBody() });
  const { id } = created.body as { id: string };
  const availableNow = async () => {
    const { body } = await world.getBalance({ companyId: companyOne, params: { accountId: account } });
    expect(body).toMatchObject({ reserved: '0.00' });
    return Number((body as { available: string }).available);
  };
  const before = await availableNow();
  const responses = await atOnce(() => world.force(id, 'PAID'));
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  expect(await availableNow()).toBe(before + 25);
});

test('pay-ins that are due expire, found in the index of keys only', async () => {
  const body = payInBody({ expiresInSeconds: 60 });
  const created = await world.createPayIn({ companyId: otherCompany, key: 'due', body });
  const { now } = world.clock;
  world.clock.now = '2026-01-15T15:01:00.000Z';
  expect(await world.expirePayIns()).toEqual({ expired: 1, failed: 0 });
  world.clock.now = now;
  const { id } = created.body as { id: string };
  expect((await world.getPayIn({ companyId: otherCompany, params: { id } })).body).toMatchObject({
    status: 'EXPIRED',
  });
});
