import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { isAbout, SubscriptionNotification, verified } from './notifications.ts';
import { activeAccount, environment, first, useReceiver } from './partners.ts';
import { journey2, journey3, maria, pedro } from './samples.ts';

const inbox = useReceiver();
const account = activeAccount(first);
/** Why not at a bank of its own. */
const endsAtOnce = 'API Pix ends a recurrence at once, and refuses no end later';

type Body = Parameters<typeof journey2>[1];
async function subscription(events: Inbox, changes: Body = {}, moves: readonly Move[] = []): Promise<string> {
  const asked = changes.initialCharge ? journey3 : journey2;
  const { body } = await first.call(CreateSubscription, {
    body: asked(account.id, { ...changes, webhookUrl: events.url }),
  });
  for (const status of moves) await force(body.id, status);
  return body.id;
}

type Move = 'ACCEPTED' | 'REJECTED' | 'CANCELED' | 'CANCELLATION_REJECTED';
const force = (id: string, status: Move) => first.call(ForceSubscriptionStatus, { body: { id, status } });
const read = async (id: string) => (await first.call(GetSubscription, { params: { id } })).body;

/** The one event of a kind, with right signatures, saying what the record says. */
async function event(events: Inbox, id: string, name: string) {
  const [notification] = await events.until(isAbout(id, name));
  const payload = verified(notification!, SubscriptionNotification, first.webhookSecret);
  const { qrcodeDetail, ...record } = await read(id);
  const { qrcodeDetail: toldCode, ...rest } = payload.data;
  expect(toldCode).toEqual({ qrcodeData: qrcodeDetail.qrcodeData });
  return { told: payload, record, rest };
}

describe('a forced transition of a subscription', () => {
  test('to ACCEPTED generates the payer’s account and notifies the partner with the record', async (context) => {
    needs(context, 'simulated-bank', 'API Pix names no account of a payer');
    const events = inbox();
    const id = await subscription(events);
    const response = await force(id, 'ACCEPTED');
    expect(response.body.id).toBe(id);
    expect(response.body.description).not.toBe('');

    const { told: payload, record, rest } = await event(events, id, 'SUBSCRIPTION.ACCEPTED');
    expect(rest).toEqual(record);
    expect(payload.occurredAt).toBe(record.updatedAt);
    expect(record.status).toBe('ACCEPTED');
    expect(record.statusHistory.map(({ status }) => status)).toEqual(['INITIAL', 'PENDING_AUTHORIZATION', 'ACCEPTED']);
    expect(record.payer).toMatchObject({
      document: maria.document,
      bankData: { ispb: expect.stringMatching(/^[0-9A-Z]{8}$/) },
    });
  });

  test('to ACCEPTED takes the payer that journey 3 named', async () => {
    const events = inbox();
    const id = await subscription(events, { initialCharge: { amount: { currency: 'BRL', value: 5 } }, payer: pedro }, [
      'ACCEPTED',
    ]);
    // API Pix names no payer.
    const payer = environment.capabilities.includes('simulated-bank') ? pedro : { document: pedro.document };
    expect((await read(id)).payer).toMatchObject(payer);
  });

  test('to REJECTED records no payer and notifies the partner', async () => {
    const events = inbox();
    const id = await subscription(events, {}, ['REJECTED']);
    const { record, rest } = await event(events, id, 'SUBSCRIPTION.REJECTED');
    expect(rest).toEqual(record);
    expect(record.status).toBe('REJECTED');
    expect(record).not.toHaveProperty('payer');
  });

  test('to CANCELED ends an accepted subscription and records the payer’s request', async () => {
    const events = inbox();
    const id = await subscription(events, {}, ['ACCEPTED', 'CANCELED']);
    const { record, rest } = await event(events, id, 'SUBSCRIPTION.CANCELED');
    expect(rest).toEqual(record);
    expect(record.status).toBe('CANCELED');
    expect(record.cancellations).toMatchObject([
      { status: 'ACCEPTED', reason: 'REQUESTED_BY_PAYER', customer: { document: maria.document } },
    ]);
  });

  test('to CANCELLATION_REJECTED leaves the status and records the refused request', async (context) => {
    needs(context, 'simulated-bank', endsAtOnce);
    const events = inbox();
    const id = await subscription(events, {}, ['ACCEPTED', 'CANCELLATION_REJECTED']);
    const { record } = await event(events, id, 'SUBSCRIPTION.CANCELLATION.REJECTED');
    expect(record.status).toBe('ACCEPTED');
    expect(record.statusHistory).toHaveLength(3);
    expect(record.cancellations.map(({ status }) => status)).toEqual(['REJECTED']);
  });

  test.each<[string, readonly Move[], Move]>([
    ['pending', [], 'CANCELED'],
    ['pending', [], 'CANCELLATION_REJECTED'],
    ['accepted', ['ACCEPTED'], 'ACCEPTED'],
    ['accepted', ['ACCEPTED'], 'REJECTED'],
    ['rejected', ['REJECTED'], 'ACCEPTED'],
    ['rejected', ['REJECTED'], 'CANCELED'],
    ['canceled', ['ACCEPTED', 'CANCELED'], 'CANCELED'],
    ['canceled', ['ACCEPTED', 'CANCELED'], 'CANCELLATION_REJECTED'],
    ['canceled', ['ACCEPTED', 'CANCELED'], 'ACCEPTED'],
  ])('is refused for a %s subscription (%j) to %s, and leaves it unchanged', async (_state, moves, wanted) => {
    const id = await subscription(inbox(), {}, moves);
    const before = await read(id);
    const response = await first.refused(ForceSubscriptionStatus, { body: { id, status: wanted } });
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
    expect(response.details[0]?.description).toContain(before.status);
    expect(await read(id)).toEqual(before);
  });

  test.each(['PENDING_AUTHORIZATION', 'INITIAL', 'ERROR', 'accepted', ''])(
    'is refused when the requested status is %j',
    async (status) => {
      const id = await subscription(inbox());
      refused(await first.refused(ForceSubscriptionStatus, { body: { id, status } }), 400, ['status:INVALID_VALUE']);
    },
  );

  test('is executed once and notified once when it is requested twenty times concurrently', async () => {
    const events = inbox();
    const id = await subscription(events);
    const body = { id, status: 'ACCEPTED' };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => first.answer(ForceSubscriptionStatus, { body })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    await force(id, 'CANCELED');
    await events.until(isAbout(id, 'SUBSCRIPTION.CANCELED'));
    expect(events.received.filter(isAbout(id, 'SUBSCRIPTION.ACCEPTED'))).toHaveLength(1);
  });
});

describe('a cancellation request', () => {
  test('waits for the answer of the payer’s bank, and its acceptance ends the subscription', async (context) => {
    needs(context, 'simulated-bank', endsAtOnce);
    const events = inbox();
    const id = await subscription(events, {}, ['ACCEPTED']);
    const key = randomUUID();
    const ask = { params: { id }, key, body: { reason: 'REQUESTED_BY_RECEIVER' } } as const;
    const { status, body, received } = await first.call(CancelSubscription, ask);
    expect(status).toBe(201);
    expect(body).toMatchObject({ idempotencyKey: key, status: 'PENDING', reason: 'REQUESTED_BY_RECEIVER' });
    expect(body.statusHistory.map((entry) => entry.status)).toEqual(['INITIAL', 'PENDING']);
    expect((await read(id)).cancellations).toEqual([{ ...body, createdBy: first.clientId }]);

    const second = await first.refused(CancelSubscription, { ...ask, key: randomUUID() });
    refused(second, 409);

    await force(id, 'CANCELED');
    const { record } = await event(events, id, 'SUBSCRIPTION.CANCELED');
    expect(record.cancellations).toMatchObject([{ id: body.id, status: 'ACCEPTED', reason: 'REQUESTED_BY_RECEIVER' }]);
    expect((await first.call(CancelSubscription, ask)).received.text).toBe(received.text);
  });

  test('is accepted again after the earlier one was refused', async (context) => {
    needs(context, 'simulated-bank', endsAtOnce);
    const id = await subscription(inbox(), {}, ['ACCEPTED']);
    const ask = {
      params: { id },
      body: { reason: 'FRAUD_SUSPICION', customer: { document: pedro.document } },
    } as const;
    const request = await first.call(CancelSubscription, ask);
    expect(request.body.customer).toEqual({ document: pedro.document });
    await force(id, 'CANCELLATION_REJECTED');
    await first.call(CancelSubscription, ask);
    expect((await read(id)).cancellations.map(({ status }) => status).toSorted()).toEqual(['PENDING', 'REJECTED']);
  });

  test.each<[readonly Move[]]>([[['REJECTED']], [['ACCEPTED', 'CANCELED']]])(
    'is refused when the subscription is in a final state (%j)',
    async (moves) => {
      const id = await subscription(inbox(), {}, moves);
      refused(await first.refused(CancelSubscription, { params: { id }, body: { reason: 'PAYER_DECEASED' } }), 409, [
        'status:TRANSITION_NOT_ALLOWED',
      ]);
    },
  );

  test('needs a key and a reason of the list', async () => {
    const id = await subscription(inbox(), {}, ['ACCEPTED']);
    refused(await first.refused(CancelSubscription, { params: { id }, key: null, body: { reason: 'BORED' } }), 400, [
      'idempotency-key:REQUIRED',
      'reason:INVALID_VALUE',
    ]);
  });

  test('is created once when it is requested twenty times concurrently', async () => {
    const id = await subscription(inbox(), {}, ['ACCEPTED']);
    const ask = { params: { id }, key: randomUUID(), body: { reason: 'REQUESTED_BY_RECEIVER' } } as const;
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(CancelSubscription, ask)));
    expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
    expect((await read(id)).cancellations).toHaveLength(1);
  });
});
