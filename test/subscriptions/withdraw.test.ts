import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { companyOne } from '../support/bank-world.ts';
import type { CreatedSubscription, SubscriptionWorld } from '../support/subscription-world.ts';
import { compositeBody, subscriptionBody, subscriptionWorld } from '../support/subscription-world.ts';
import { refused } from '../support/refusals.ts';

const reason = { reason: 'FRAUD_SUSPICION' };

let world: SubscriptionWorld;
let created: CreatedSubscription;
let orderId: string;
beforeEach(async () => {
  world = subscriptionWorld();
  await world.openAccount(0);
  created = await world.created(compositeBody());
  orderId = created.initialCharge?.orderId ?? '';
});

const cancel = (key = 'k', id = created.id): Promise<Answer> =>
  world.cancel({ companyId: companyOne, key, params: { id }, body: reason });
type SubscriptionRecord = { status: string; cancellations: { status: string }[] };
const read = async (id = created.id): Promise<SubscriptionRecord> => (await world.get(id)).body as SubscriptionRecord;
const charge = async (): Promise<unknown> =>
  ((await world.getPayIn({ companyId: companyOne, params: { id: orderId } })).body as { status: unknown }).status;

describe('a subscription that is not authorized yet', () => {
  test('is withdrawn in one transaction with its first charge and a notification for each', async () => {
    const sizes: number[] = [];
    const { store } = world;
    world.deps.store = {
      ...store,
      write: (writes, token) => {
        sizes.push(writes.length);
        return store.write(writes, token);
      },
    };
    const response = await cancel();
    expect(response).toMatchObject({ status: 201, body: { status: 'ACCEPTED', reason: 'FRAUD_SUSPICION' } });
    const { statusHistory } = response.body as { statusHistory: { status: string }[] };
    expect(statusHistory.map(({ status }) => status)).toEqual(['INITIAL', 'ACCEPTED']);
    expect(await read()).toMatchObject({
      status: 'CANCELED',
      statusHistory: [{ status: 'INITIAL' }, { status: 'PENDING_AUTHORIZATION' }, { status: 'CANCELED' }],
      cancellations: [{ status: 'ACCEPTED' }],
    });
    expect(await charge()).toBe('CANCELED');
    expect(world.notified()).toMatchObject([
      {
        event: 'SUBSCRIPTION.CANCELED',
        data: { data: { status: 'CANCELED', cancellations: [{ status: 'ACCEPTED' }] } },
      },
      { event: 'ORDER-PAYIN.CANCELED', data: { id: orderId } },
    ]);
    expect(sizes, 'key, subscription, request, order, two notifications').toEqual([8]);
  });

  test('can neither be authorized nor paid nor expire afterwards', async () => {
    await cancel();
    refused(await world.forceSubscription(created.id, 'ACCEPTED'), 409);
    refused(await world.force(orderId, 'PAID'), 409);
    world.clock.now = '2026-02-15T15:00:00.000Z';
    expect(await world.expirePayIns()).toEqual({ expired: 0, failed: 0 });
  });

  test('is withdrawn with a single notification when it is of journey 2, without a first charge', async () => {
    const { id } = await world.created(subscriptionBody());
    expect((await cancel('k', id)).status).toBe(201);
    expect(world.notified().map(({ event }) => event)).toEqual(['SUBSCRIPTION.CANCELED']);
  });

  test.each(['PAID', 'EXPIRED', 'CANCELED'])('does not change a first charge that is %s', async (status) => {
    await world.force(orderId, status);
    expect((await cancel()).status).toBe(201);
    expect([await charge(), (await read()).status]).toEqual([status, 'CANCELED']);
  });

  test('leaves its first charge payable when the bank refuses the removal because it is being paid', async () => {
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'It is paid.' });
    expect((await cancel()).status).toBe(201);
    expect([await charge(), (await read()).status]).toEqual(['PENDING', 'CANCELED']);
    expect((await world.force(orderId, 'PAID')).status, 'the payment is credited').toBe(200);
  });

  test('stays as it is, with 503, while the bank’s reply is unknown, and is withdrawn by a retry with the same key', async () => {
    world.bank.charges.remove.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    const before = world.items();
    refused(await cancel(), 503);
    expect(world.items()).toEqual(before);
    world.bank.charges = { ...world.simulated.charges };
    expect((await cancel()).status).toBe(201);
  });

  test('is withdrawn once when 20 concurrent requests have one key, and refuses another key', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => cancel()));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => 'idempotent-replayed' in headers)).toHaveLength(19);
    expect(world.notified()).toHaveLength(2);
    const other = await cancel('other');
    refused(other, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('is either withdrawn, or accepted with a pending request, when it is authorized concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await world.created(compositeBody());
      const [response, tool] = await Promise.all([cancel(`k${round}`, id), world.forceSubscription(id, 'ACCEPTED')]);
      expect(response.status).toBe(201);
      const { status, cancellations } = await read(id);
      const seen = [status, cancellations[0]?.status, tool.status];
      expect([
        ['ACCEPTED', 'PENDING', 200],
        ['CANCELED', 'ACCEPTED', 409],
      ]).toContainEqual(seen);
    }
  });
});

describe('a subscription with many requests', () => {
  const accepted = () => world.forceSubscription(created.id, 'ACCEPTED');

  test('refuses the 51st request, can still be canceled by the bank, and has the last 10 in its events', async () => {
    await accepted();
    for (let round = 0; round < 50; round += 1) {
      expect((await cancel(`k${round}`)).status).toBe(201);
      expect((await world.forceSubscription(created.id, 'CANCELLATION_REJECTED')).status).toBe(200);
    }
    const over = await cancel('k50');
    refused(over, 409, ['id:LIMIT_EXCEEDED']);
    const rejected = await world.forceSubscription(created.id, 'CANCELLATION_REJECTED');
    refused(rejected, 409, ['id:LIMIT_EXCEEDED']);
    expect((await cancel('k7')).status, 'a replay is no new request').toBe(201);

    expect((await world.forceSubscription(created.id, 'CANCELED')).status).toBe(200);
    const { cancellations } = await read();
    expect(cancellations).toHaveLength(51);
    const notification = world.notified().at(-1)?.data as { data: { cancellations: unknown[] } };
    expect(notification.data.cancellations).toEqual(cancellations.slice(-10));
  });
});

describe('the cancellation request of an accepted subscription', () => {
  beforeEach(() => world.forceSubscription(created.id, 'ACCEPTED'));

  test('is submitted to the bank once, under its id', async () => {
    const handed: unknown[] = [];
    world.bank.recurrences.cancel.submit = (order, context) => {
      handed.push(order);
      return world.simulated.recurrences.cancel.submit(order, context);
    };
    const { id } = (await cancel()).body as { id: string };
    await cancel();
    world.clock.now = '2026-01-15T16:00:00.000Z';
    expect(await world.submitCommands()).toEqual({ submitted: 0, failed: 0 });
    expect(handed).toEqual([{ reference: id, recurrenceId: created.providerId }]);
  });

  test('is rejected, with a notification, when the bank refuses it', async () => {
    world.bank.recurrences.cancel.submit = () => Promise.resolve({ outcome: 'REFUSED', reason: 'Not now.' });
    expect((await cancel()).body).toMatchObject({ status: 'PENDING' });
    expect(await read()).toMatchObject({ status: 'ACCEPTED', cancellations: [{ status: 'REJECTED' }] });
    expect(world.notified().at(-1)?.event).toBe('SUBSCRIPTION.CANCELLATION.REJECTED');
  });

  test('is completed by the worker, which looks it up and never resubmits it, when the bank’s reply is unknown', async () => {
    const calls: string[] = [];
    world.bank.recurrences.cancel.submit = () => (calls.push('cancel'), Promise.resolve({ outcome: 'UNKNOWN' }));
    world.bank.recurrences.cancel.find = () => (calls.push('find'), Promise.resolve({ outcome: 'UNKNOWN' }));
    await cancel();
    expect(calls).toEqual(['cancel', 'find']);
    world.clock.now = '2026-01-15T15:02:00.000Z';
    expect(await world.submitCommands(), 'still nothing').toEqual({ submitted: 0, failed: 1 });
    expect(calls).toEqual(['cancel', 'find', 'find']);
    world.bank.recurrences.cancel.find = () => Promise.resolve({ outcome: 'DONE', state: { history: [] } });
    world.clock.now = '2026-01-15T15:04:00.000Z';
    expect(await world.submitCommands()).toEqual({ submitted: 1, failed: 0 });
    expect(calls, 'never repeated without a look-up').toEqual(['cancel', 'find', 'find']);
    expect((await read()).cancellations).toMatchObject([{ status: 'PENDING' }]);
  });

  test('is neither looked up nor submitted again when the bank canceled the subscription meanwhile', async () => {
    world.bank.recurrences.cancel.submit = () => Promise.resolve({ outcome: 'UNKNOWN' });
    await cancel();
    await world.forceSubscription(created.id, 'CANCELED');
    world.bank.recurrences.cancel.find = () => Promise.reject(new Error('It was asked.'));
    world.clock.now = '2026-01-15T15:10:00.000Z';
    expect(await world.submitCommands()).toEqual({ submitted: 0, failed: 0 });
  });
});

test('the worker submits a withdrawal, once, when the request could not submit it to the bank', async () => {
  world.bank.recurrences.cancel.submit = () => Promise.reject(new Error('The function died.'));
  expect((await cancel()).status).toBe(201);
  const handed: string[] = [];
  world.bank.recurrences.cancel.submit = (order, context) => {
    handed.push(order.recurrenceId);
    return world.simulated.recurrences.cancel.submit(order, context);
  };
  world.clock.now = '2026-01-15T15:02:00.000Z';
  expect(await world.submitCommands()).toEqual({ submitted: 1, failed: 0 });
  expect(await world.submitCommands()).toEqual({ submitted: 0, failed: 0 });
  expect(handed).toEqual([created.providerId]);
});
