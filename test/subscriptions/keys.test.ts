import { beforeEach, describe, expect, test } from 'vitest';
import { account, companyOne, holder, otherCompany, receiver } from '../support/bank-world.ts';
import type { CreatedSubscription as Created, SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

let world: SubscriptionWorld;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
});

describe('an idempotency key', () => {
  test.each(['journey 2', 'journey 3'])(
    'gets the first response again, byte for byte, after every transition of %s',
    async (journey) => {
      const body = journey === 'journey 2' ? subscriptionBody() : compositeBody({ payer: holder, description: 'Gym' });
      const first = await world.send(body, 'k');
      const { id, initialCharge } = first.body as Created;
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      for (const move of ['ACCEPTED', 'CANCELLATION_REJECTED', 'CANCELED']) await world.forceSubscription(id, move);
      if (initialCharge) await world.force(initialCharge.orderId, 'PAID');
      await world.setAccountStatus('ACTIVE', 'INACTIVE');
      world.clock.now = '2026-01-20T15:00:00.000Z';
      const again = await world.send(body, 'k');
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
    },
  );

  test('gives one subscription and 20 equal responses when 20 equal requests come concurrently', async () => {
    const body = compositeBody();
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.send(body, 'k')));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(responses.filter(({ headers }) => !('idempotent-replayed' in headers))).toHaveLength(1);
    expect([world.items('SUBSCRIPTION').length, world.items('PAY_IN').length]).toEqual([1, 1]);
  });

  test('is 422 when it is used for another body, and no subscription is created', async () => {
    await world.created(subscriptionBody({ externalId: 'S-1' }), 'k');
    const response = await world.send(subscriptionBody({ externalId: 'S-2' }), 'k');
    refused(response, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
    expect(world.items('SUBSCRIPTION')).toHaveLength(1);
  });

  test('may be used again when its request was refused', async () => {
    await world.setAccountStatus('ACTIVE', 'INACTIVE');
    const body = subscriptionBody();
    refused(await world.send(body, 'k'), 409);
    await world.setAccountStatus('INACTIVE', 'ACTIVE');
    await world.created(body, 'k');
  });

  test('may be used again after seven days', async () => {
    const { id } = await world.created(subscriptionBody({ startDate: '2026-02-01' }), 'k');
    world.clock.now = '2026-01-22T15:00:01.000Z';
    expect((await world.created(subscriptionBody({ startDate: '2026-02-01' }), 'k')).id).not.toBe(id);
  });

  test('belongs to a company', async () => {
    await world.openAccount(0, { companyId: otherCompany });
    const body = subscriptionBody();
    const ownSubscription = await world.created(body, 'k');
    const theirs = await world.create({ companyId: otherCompany, body, key: 'k' });
    expect(theirs.status).toBe(201);
    expect((theirs.body as Created).id).not.toBe(ownSubscription.id);
  });
});

describe('an external id', () => {
  test('names one subscription of a company: 409 for a second, with and without keys', async () => {
    await world.created(subscriptionBody({ externalId: 'S-1' }), 'k');
    for (const key of [undefined, 'other']) {
      const response = await world.send(subscriptionBody({ externalId: 'S-1' }), key);
      refused(response, 409, ['externalId:ALREADY_EXISTS']);
    }
    expect(world.items('SUBSCRIPTION')).toHaveLength(1);
    // The refused key was not used up.
    await world.created(subscriptionBody({ externalId: 'S-2' }), 'other');
  });

  test('is accepted for one of 20 different requests that come concurrently', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) =>
      subscriptionBody({ externalId: 'S-1', description: String(index) }),
    );
    const statuses = await Promise.all(bodies.map(async (body) => (await world.send(body)).status));
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test('may be the same at another company, and as that of an order', async () => {
    await world.openAccount(0, { companyId: otherCompany });
    await world.created(subscriptionBody({ externalId: 'S-1' }));
    const body = subscriptionBody({ externalId: 'S-1' });
    expect((await world.create({ companyId: otherCompany, body })).status).toBe(201);
    const payIn = {
      externalId: 'S-1',
      accountId: account,
      amount: { currency: 'BRL', value: 1 },
      description: 'x',
      payer: receiver,
    };
    expect((await world.createPayIn({ companyId: companyOne, key: 'k', body: payIn })).status).toBe(201);
  });
});
