import { Resolver } from 'node:dns/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { UpdateSubscription } from '#functions/subscriptions/update/contract.ts';
import { updateSubscription } from '#functions/subscriptions/update/handler.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { caller, testClient } from '../support/api.ts';
import { companyOne, otherCompany } from '../support/bank-world.ts';
import { refused } from '../support/refusals.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';

const later = '2026-01-15T16:00:00.000Z';
const moved = 'https://127.0.0.1:4443/recurrences';
let world: SubscriptionWorld;
let id: string;
let update: (body: object, subscriptionId?: string, companyId?: string) => ReturnType<ReturnType<typeof caller>>;

beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  const { body } = await world.create({ companyId: companyOne, body: subscriptionBody() });
  ({ id } = body as CreatedSubscription);
  const call = caller(UpdateSubscription, updateSubscription, world.deps);
  update = (sent, subscriptionId = id, companyId = companyOne) =>
    call({ companyId, body: sent, params: { id: subscriptionId } });
  world.clock.now = later;
});

describe('another webhook address', () => {
  test('is returned in the record, where only webhookUrl, updatedAt and updatedBy are new', async () => {
    const before = (await world.get(id)).body as object;
    const response = await update({ webhookUrl: moved });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ ...before, webhookUrl: moved, updatedAt: later, updatedBy: testClient });
    expect((await world.get(id)).body).toEqual(response.body);
  });

  test.each(['REJECTED', 'ACCEPTED', 'CANCELED'])('is accepted when the subscription is %s', async (status) => {
    if (status === 'CANCELED') await world.forceSubscription(id, 'ACCEPTED');
    expect((await world.forceSubscription(id, status)).status).toBe(200);
    expect((await update({ webhookUrl: moved })).body).toMatchObject({ status, webhookUrl: moved });
  });

  test('is returned with every cancellation request, also with more of them than an event has', async () => {
    await world.forceSubscription(id, 'ACCEPTED');
    for (let round = 1; round <= 12; round += 1) {
      const body = { reason: 'REQUESTED_BY_RECEIVER' };
      await world.cancel({ companyId: companyOne, key: `k${round}`, params: { id }, body });
      await world.forceSubscription(id, 'CANCELLATION_REJECTED');
    }
    const { body } = await update({ webhookUrl: moved });
    expect((body as { readonly cancellations: unknown }).cancellations).toHaveLength(12);
    expect((await world.get(id)).body).toEqual(body);
  });

  test('changes no field, not even updatedAt, when the subscription has it already', async () => {
    await update({ webhookUrl: moved });
    const before = world.items('SUBSCRIPTION');
    world.clock.now = '2026-01-15T17:00:00.000Z';
    expect((await update({ webhookUrl: moved })).status).toBe(200);
    expect(world.items('SUBSCRIPTION')).toEqual(before);
  });

  test('goes with every later notification', async () => {
    await update({ webhookUrl: moved });
    await world.forceSubscription(id, 'ACCEPTED');
    expect(world.notified().map(({ target }) => target)).toEqual([{ endpoint: moved, subscription: id }]);
  });

  test('is given once more when the subscription changed between reading and writing', async () => {
    const { store } = world.deps;
    let races = 1;
    const racing: Store = {
      ...store,
      write: async (writes, token) => {
        if (races > 0) {
          races -= 1;
          await world.forceSubscription(id, 'ACCEPTED');
        }
        return store.write(writes, token);
      },
    };
    const call = caller(UpdateSubscription, updateSubscription, { ...world.deps, store: racing });
    const response = await call({ companyId: companyOne, body: { webhookUrl: moved }, params: { id } });
    expect(response.body).toMatchObject({ status: 'ACCEPTED', webhookUrl: moved });
  });

  test('is refused where another field stands beside it, or none', async () => {
    refused(await update({ webhookUrl: moved, description: 'x' }), 400, ['description:UNKNOWN_FIELD']);
    refused(await update({}), 400, ['webhookUrl:REQUIRED']);
  });

  test('is 404, and writes no item, when the company has no such subscription', async () => {
    const before = world.items('SUBSCRIPTION');
    refused(await update({ webhookUrl: moved }, id, otherCompany), 404);
    refused(await update({ webhookUrl: moved }, '33333333-3333-4333-8333-333333333333'), 404);
    expect(world.items('SUBSCRIPTION')).toEqual(before);
  });
});

describe('a forbidden webhook address', () => {
  beforeEach(() => {
    const settings = { ...world.deps.settings, allowLocalTargets: false };
    const call = caller(UpdateSubscription, updateSubscription, { ...world.deps, settings });
    update = (sent, subscriptionId = id, companyId = companyOne) =>
      call({ companyId, body: sent, params: { id: subscriptionId } });
  });

  test.each(['http://partner.example.com/', 'https://127.0.0.1/', 'https://partner.example.com:22/'])(
    'is refused with its field when it is %s',
    async (webhookUrl) => {
      refused(await update({ webhookUrl }), 400, ['webhookUrl:INVALID_VALUE']);
    },
  );

  test('is refused when its name leads to a private network, at the creation too', async () => {
    vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(['10.0.0.1'] as never);
    const before = world.items();
    const webhookUrl = 'https://inner.partner.example/hooks';
    refused(await update({ webhookUrl }), 400, ['webhookUrl:INVALID_VALUE']);
    refused(await world.send(subscriptionBody({ webhookUrl })), 400, ['webhookUrl:INVALID_VALUE']);
    expect(world.items()).toEqual(before);
  });
});
