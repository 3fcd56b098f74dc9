import { beforeEach, describe, expect, test } from 'vitest';
import { companyOne, noon, otherCompany, receiver } from '../support/bank-world.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

const later = '2026-01-15T16:00:00.000Z';
let world: SubscriptionWorld;
let id: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  const response = await world.create({ companyId: companyOne, body: subscriptionBody({ externalId: 'S-1' }) });
  ({ id } = response.body as CreatedSubscription);
  world.clock.now = later;
});

describe('the tool on a subscription', () => {
  test('sets ACCEPTED with an account of the payer at another institution, and its notification holds the record', async () => {
    const response = await world.forceSubscription(id, 'ACCEPTED');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      id,
      description: expect.stringContaining(
        `Subscription ${id}: ACCEPTED applied; status PENDING_AUTHORIZATION → ACCEPTED. `,
      ) as string,
    });
    const { body } = await world.get(id);
    expect(body).toMatchObject({
      status: 'ACCEPTED',
      statusHistory: [
        { status: 'INITIAL', createdAt: noon },
        { status: 'PENDING_AUTHORIZATION', createdAt: noon },
        { status: 'ACCEPTED', createdAt: later },
      ],
      updatedAt: later,
      payer: {
        ...receiver,
        bankData: {
          ispb: expect.stringMatching(/^(?!99999004)[0-9A-Z]{8}$/u) as string,
          accountNumber: expect.stringMatching(/^\d+$/u) as string,
          branchNumber: expect.stringMatching(/^\d{4}$/u) as string,
        },
      },
    });
    const { qrcodeDetail, ...record } = body as { qrcodeDetail: { imageBase64?: string; qrcodeData: string } };
    expect(world.notified()).toMatchObject([
      {
        event: 'SUBSCRIPTION.ACCEPTED',
        target: { endpoint: 'http://127.0.0.1:9/hook' },
        resource: { type: 'SUBSCRIPTION', id },
      },
    ]);
    expect(world.notified()[0]?.data).toEqual({
      event: 'SUBSCRIPTION.ACCEPTED',
      occurredAt: later,
      data: { ...record, qrcodeDetail: { qrcodeData: qrcodeDetail.qrcodeData } },
    });
  });

  test.each([
    [['REJECTED'], 'REJECTED', ['SUBSCRIPTION.REJECTED']],
    [['ACCEPTED', 'CANCELED'], 'CANCELED', ['SUBSCRIPTION.ACCEPTED', 'SUBSCRIPTION.CANCELED']],
    [
      ['ACCEPTED', 'CANCELLATION_REJECTED'],
      'ACCEPTED',
      ['SUBSCRIPTION.ACCEPTED', 'SUBSCRIPTION.CANCELLATION.REJECTED'],
    ],
  ])('applies %j: its status becomes %s, and each transition is notified once', async (moves, status, events) => {
    for (const move of moves) expect((await world.forceSubscription(id, move)).status).toBe(200);
    expect((await world.get(id)).body).toMatchObject({ status });
    expect(world.notified().map(({ event }) => event)).toEqual(events);
  });

  test('records a cancellation by the payer when it sets CANCELED without an open request', async () => {
    await world.forceSubscription(id, 'ACCEPTED');
    await world.forceSubscription(id, 'CANCELED');
    const { cancellations } = (await world.get(id)).body as { cancellations: unknown };
    expect(cancellations).toMatchObject([
      { status: 'ACCEPTED', reason: 'REQUESTED_BY_PAYER', customer: { document: receiver.document } },
    ]);
  });

  test.each([
    ['a transition that is not in its table', [], 'CANCELED'],
    ['the same status again', ['ACCEPTED'], 'ACCEPTED'],
    ['a change of REJECTED', ['REJECTED'], 'ACCEPTED'],
    ['a change of CANCELED', ['ACCEPTED', 'CANCELED'], 'CANCELLATION_REJECTED'],
  ])('refuses %s with 409, writes no item and sends no notification', async (_name, before, wanted) => {
    for (const move of before) await world.forceSubscription(id, move);
    const items = structuredClone(world.items());
    const response = await world.forceSubscription(id, wanted);
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(response.body).toMatchObject({ error: 'INVALID_REQUEST' });
    expect(world.items()).toEqual(items);
  });

  test.each(['INITIAL', 'PENDING_AUTHORIZATION', 'ERROR', 'accepted'])(
    'refuses the status %s with 400',
    async (status) => {
      refused(await world.forceSubscription(id, status), 400, ['status:INVALID_VALUE']);
    },
  );

  test("knows only the caller's own: foreign and unknown ids are 404, another form 400", async () => {
    const items = structuredClone(world.items());
    refused(await world.forceSubscription(id, 'ACCEPTED', otherCompany), 404);
    const unknown = await world.forceSubscription('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'ACCEPTED');
    refused(unknown, 404);
    for (const other of ['x', `${id}#SUB`, '../..', '']) {
      const response = await world.forceSubscription(other, 'ACCEPTED');
      refused(response, 400, ['id:INVALID_FORMAT']);
    }
    expect(world.items()).toEqual(items);
  });

  test('changes the status once and sends one notification when it is called 20 times concurrently', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.forceSubscription(id, 'ACCEPTED')));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(world.notified()).toHaveLength(1);
    expect(world.items('SUBSCRIPTION')).toMatchObject([{ version: 2 }]);
  });

  test('takes the id in capitals too', async () => {
    const response = await world.forceSubscription(id.toUpperCase(), 'ACCEPTED');
    expect(response).toMatchObject({ status: 200, body: { id, description: expect.stringContaining(id) as string } });
  });
});
