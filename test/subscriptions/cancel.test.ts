import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { companyOne, holder, otherCompany, receiver } from '../support/bank-world.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

type Record = { readonly id: string; readonly idempotencyKey: string; readonly status: string };

const later = '2026-01-15T16:00:00.000Z';
let world: SubscriptionWorld;
let id: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  const response = await world.create({ companyId: companyOne, body: subscriptionBody() });
  ({ id } = response.body as CreatedSubscription);
  await world.forceSubscription(id, 'ACCEPTED');
  world.clock.now = later;
});

const reason = { reason: 'FRAUD_SUSPICION' };
const cancel = (key = 'k', body: object = reason, subscriptionId = id, companyId = companyOne): Promise<Answer> =>
  world.cancel({ companyId, key, body, params: { id: subscriptionId } });
const read = async () =>
  (await world.get(id)).body as { status: string; updatedAt: string; cancellations: readonly Record[] };

describe('a request to cancel', () => {
  test('is answered as it stands in the record: open, with its history', async () => {
    const response = await cancel();
    expect(response).toMatchObject({ status: 201 });
    expect(response.body).toEqual({
      id: expect.any(String) as string,
      idempotencyKey: 'k',
      status: 'PENDING',
      statusHistory: ['INITIAL', 'PENDING'].map((status) => ({ status, createdAt: later })),
      reason: 'FRAUD_SUSPICION',
      customer: { document: holder.document },
      createdAt: later,
      updatedAt: later,
    });
    expect(await read()).toMatchObject({ status: 'ACCEPTED', updatedAt: later, cancellations: [response.body] });
    // Nothing was decided yet: no notification is sent.
    expect(world.notified().map(({ event }) => event)).toEqual(['SUBSCRIPTION.ACCEPTED']);
  });

  test('has the customer of its body when the body has one', async () => {
    expect((await cancel('k', { ...reason, customer: { document: receiver.document } })).body).toMatchObject({
      customer: { document: receiver.document },
    });
  });

  test.each([
    ['CANCELED', 'ACCEPTED', 'CANCELED', 'SUBSCRIPTION.CANCELED'],
    ['CANCELLATION_REJECTED', 'REJECTED', 'ACCEPTED', 'SUBSCRIPTION.CANCELLATION.REJECTED'],
  ])('is completed by %s: the request is %s and the subscription is %s', async (tool, answered, status, event) => {
    const cancellation = (await cancel()).body as Record;
    world.clock.now = '2026-01-15T17:00:00.000Z';
    expect((await world.forceSubscription(id, tool)).status).toBe(200);
    const record = await read();
    expect(record).toMatchObject({
      status,
      cancellations: [{ id: cancellation.id, status: answered, updatedAt: world.clock.now }],
    });
    expect(record.cancellations).toHaveLength(1);
    const notification = world.notified().find((one) => one.event === event);
    expect(notification).toMatchObject({ target: { endpoint: 'http://127.0.0.1:9/hook' } });
    expect(notification?.data).toMatchObject({
      event,
      occurredAt: world.clock.now,
      data: { id, status, cancellations: record.cancellations },
    });
  });

  test('may be followed by another when it was rejected', async () => {
    await cancel('k1');
    await world.forceSubscription(id, 'CANCELLATION_REJECTED');
    world.clock.now = '2026-01-15T16:00:00.001Z';
    expect((await cancel('k2')).status).toBe(201);
    expect((await read()).cancellations.map(({ status }) => status)).toEqual(['REJECTED', 'PENDING']);
  });
});

test('a request that its bank refuses after it ended does not reject the request that followed it', async () => {
  const unknown = { outcome: 'UNKNOWN' } as const;
  let isFirst = true;
  world.bank.recurrences.cancel = {
    find: () => Promise.resolve({ outcome: 'NEVER_SEEN' }),
    submit: async () => {
      if (!isFirst) return unknown;
      isFirst = false;
      await world.forceSubscription(id, 'CANCELLATION_REJECTED');
      world.clock.now = '2026-01-15T16:00:00.001Z';
      expect((await cancel('k2')).status).toBe(201);
      return { outcome: 'REFUSED', reason: 'No.' };
    },
  };
  await cancel('k1');
  expect((await read()).cancellations.map(({ status }) => status)).toEqual(['REJECTED', 'PENDING']);
});

describe('a request to cancel is refused', () => {
  test('with 409 when another one is open', async () => {
    await cancel('k1');
    const response = await cancel('k2');
    refused(response, 409, ['id:TRANSITION_NOT_ALLOWED']);
  });

  test('with 409 when another of 20 concurrent requests was accepted', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => cancel(`k${index}`)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    expect((await read()).cancellations).toHaveLength(1);
  });

  test.each(['REJECTED', 'CANCELED'])('with 409 when the subscription is %s', async (status) => {
    const other = (await world.create({ companyId: companyOne, body: subscriptionBody() })).body as CreatedSubscription;
    if (status === 'REJECTED') await world.forceSubscription(other.id, 'REJECTED');
    if (status === 'CANCELED')
      for (const move of ['ACCEPTED', 'CANCELED']) await world.forceSubscription(other.id, move);
    const response = await cancel('k', reason, other.id);
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('with 404 when the subscription is unknown or of another company', async () => {
    refused(await cancel('k', reason, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'), 404);
    refused(await cancel('k', reason, id, otherCompany), 404);
    expect((await read()).cancellations).toEqual([]);
  });

  test.each([
    ['no reason', {}, ['reason:REQUIRED']],
    ['an unknown reason', { reason: 'OTHER_REASONS' }, ['reason:INVALID_VALUE']],
    [
      'a wrong document',
      { ...reason, customer: { document: { type: 'CPF', number: '1' } } },
      ['customer.document.number:INVALID_FORMAT'],
    ],
  ])('with 400 when it has %s', async (_name, body, expected) => {
    const response = await cancel('k', body);
    refused(response, 400, expected);
  });
});

describe('the idempotency key of a request to cancel', () => {
  test.each([[[]], [['CANCELED']], [['CANCELLATION_REJECTED']], [['CANCELLATION_REJECTED', 'CANCELED']]])(
    'gets the first response again, byte for byte, after %j',
    async (moves) => {
      const first = await cancel();
      for (const move of moves) await world.forceSubscription(id, move);
      world.clock.now = '2026-01-16T16:00:00.000Z';
      const again = await cancel();
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
    },
  );

  test('gives one request and 20 equal responses when 20 equal requests come concurrently', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => cancel()));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await read()).cancellations).toHaveLength(1);
  });

  test.each([
    ['another reason', () => cancel('k', { reason: 'PAYER_DECEASED' })],
    ['another customer', () => cancel('k', { ...reason, customer: { document: holder.document } })],
  ])('is 422 when it is used again with %s', async (_name, again) => {
    await cancel();
    const response = await again();
    refused(response, 422, ['idempotency-key:IDEMPOTENCY_KEY_REUSED']);
  });

  test('is 422 when it is used again for another subscription', async () => {
    await cancel();
    const other = (await world.create({ companyId: companyOne, body: subscriptionBody() })).body as CreatedSubscription;
    await world.forceSubscription(other.id, 'ACCEPTED');
    refused(await cancel('k', reason, other.id), 422);
  });

  test('may be used again after seven days, on the same subscription too', async () => {
    const first = (await cancel()).body as Record;
    await world.forceSubscription(id, 'CANCELLATION_REJECTED');
    world.clock.now = '2026-01-22T16:00:01.000Z';
    const second = await cancel();
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect((second.body as Record).id).not.toBe(first.id);
    // From then on the key means the second one.
    expect((await cancel()).text).toBe(second.text);
  });

  test("may be the text that stands for a key in the payer's own request", async () => {
    await world.forceSubscription(id, 'CANCELLATION_REJECTED');
    const [own] = (await read()).cancellations;
    const response = await cancel(own?.idempotencyKey);
    expect(response.status).toBe(201);
    expect((response.body as Record).id).not.toBe(own?.id);
  });
});
