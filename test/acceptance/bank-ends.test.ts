import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { ListRefunds } from '#functions/pay-ins/list-refunds/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CancelSubscription } from '#functions/subscriptions/cancel/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import { RefundNotification } from '#shared/webhooks/notification.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { isAbout, PayInNotification, SubscriptionNotification, verified } from './notifications.ts';
import { activeAccount, first, second, useReceiver } from './partners.ts';
import { journey2, journey3, payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const accountId = activeAccount(first).id;
/** Why not at a bank of its own. */
const reserved = 'the values that ask for it are of the simulated bank';
const toRefuse = { description: 'refused@bank.example' };
let events: Inbox;
beforeAll(async () => {
  events = inbox('bank-ends');
  await sendEverythingTo(first, events);
});

const force = (id: string, status: 'PAID' | 'REFUNDED') => first.call(ForceOrderStatus, { body: { id, status } });
const created = async (): Promise<string> => (await first.call(CreatePayIn, { body: payIn(accountId) })).body.id;

describe('a refund that the bank refuses', () => {
  test('returns its reserve, is notified and listed as FAILED, and allows another refund', async (context) => {
    needs(context, 'simulated-bank', reserved);
    const id = await created();
    await force(id, 'PAID');
    const before = await balanceOf(first, accountId);
    const { status, body } = await first.call(RefundPayIn, { params: { id }, body: toRefuse });
    expect([status, body.status]).toEqual([201, 'PENDING']);
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: 0, reserved: 0 });

    const [notification] = await events.until(isAbout(id, 'ORDER-PAYIN.REFUND_FAILED'));
    const payload = verified(notification!, RefundNotification, first.webhookSecret);
    expect(payload).toMatchObject({ status: 'FAILED', refundId: body.refundId, refundedAt: null, endToEndId: null });
    expect(payload.message).not.toBe('');
    expect((await first.call(GetPayIn, { params: { id } })).body.status).toBe('PAID');

    const again = await first.call(RefundPayIn, { params: { id }, body: {} });
    await force(id, 'REFUNDED');
    const { data } = (await first.call(ListRefunds, { params: { id } })).body;
    expect(data).toMatchObject([
      { refundId: again.body.refundId, status: 'SETTLED' },
      { refundId: body.refundId, status: 'FAILED', ...toRefuse, errorMessage: payload.message },
    ]);
    expect(events.received.filter(isAbout(id, 'ORDER-PAYIN.REFUND_FAILED'))).toHaveLength(1);
  });
});

describe('a pay-in', () => {
  test('is canceled once when its partner cancels it twenty times concurrently', async () => {
    const id = await created();
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(CancelPayIn, { params: { id } })));
    expect(new Set(responses.map(({ status, received }) => `${status} ${received.text}`)).size).toBe(1);
    expect(responses[0]?.body).toMatchObject({ id, status: 'CANCELED' });
    const [notification] = await events.until(isAbout(id, 'ORDER-PAYIN.CANCELED'));
    expect(verified(notification!, PayInNotification, first.webhookSecret)).toMatchObject({ status: 'CANCELED' });
    const late = await first.refused(ForceOrderStatus, { body: { id, status: 'PAID' } });
    refused(late, 409);
    expect(events.received.filter(isAbout(id))).toHaveLength(1);
  });

  test('cannot be canceled when it is paid, and is not found when it is another company’s', async () => {
    const id = await created();
    refused(await second.refused(CancelPayIn, { params: { id } }), 404);
    await force(id, 'PAID');
    const response = await first.refused(CancelPayIn, { params: { id } });
    refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('is created in ERROR, without a code, and notified when the bank refuses it', async (context) => {
    needs(context, 'simulated-bank', reserved);
    const { status, body } = await first.call(CreatePayIn, { body: payIn(accountId, toRefuse) });
    expect([status, body.status, body.qrcodeData, body.qrcodeImageBase64]).toEqual([201, 'ERROR', '', '']);
    const [notification] = await events.until(isAbout(body.id, 'ORDER-PAYIN.ERROR'));
    const payload = verified(notification!, PayInNotification, first.webhookSecret);
    expect(payload.message).toBe(body.errorMessage);
  });

  test('is 503 when the bank does not reply, and is created when the same key is sent again', async (context) => {
    needs(context, 'simulated-bank', reserved);
    const ask = { key: randomUUID(), body: payIn(accountId, { description: 'silent@bank.example' }) };
    refused(await first.refused(CreatePayIn, ask), 503);
    const { status, body, received } = await first.call(CreatePayIn, ask);
    expect([status, body.status]).toEqual([201, 'PENDING']);
    expect((await first.call(CreatePayIn, ask)).received.text).toBe(received.text);
  });
});

describe('a subscription', () => {
  test('is canceled immediately, with its first charge, when the payer has not authorized it', async () => {
    const { body } = await first.call(CreateSubscription, { body: journey3(accountId, { webhookUrl: events.url }) });
    const { id } = body;
    const orderId = body.initialCharge!.orderId!;
    const ask = { params: { id }, key: randomUUID(), body: { reason: 'FRAUD_SUSPICION' } } as const;
    const request = await first.call(CancelSubscription, ask);
    expect(request).toMatchObject({ status: 201, body: { status: 'ACCEPTED' } });
    expect((await first.call(CancelSubscription, ask)).received.text).toBe(request.received.text);

    const [canceled] = await events.until(isAbout(id, 'SUBSCRIPTION.CANCELED'));
    const payload = verified(canceled!, SubscriptionNotification, first.webhookSecret);
    expect(payload.data.cancellations).toEqual([{ ...request.body, createdBy: first.clientId }]);
    const [charge] = await events.until(isAbout(orderId, 'ORDER-PAYIN.CANCELED'));
    const order = verified(charge!, PayInNotification, first.webhookSecret);
    expect(order.subscription).toEqual({ id, code: body.externalId });
    for (const [contract, call] of [
      [ForceOrderStatus, { body: { id: orderId, status: 'PAID' } }],
      [ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } }],
    ] as const)
      refused(await first.refused(contract, call), 409);
  });

  test('is created in ERROR, without code and order, and notified when the bank refuses it', async (context) => {
    needs(context, 'simulated-bank', reserved);
    const { status, body } = await first.call(CreateSubscription, {
      body: journey3(accountId, { ...toRefuse, webhookUrl: events.url }),
    });
    expect([status, body.status, body.qrcodeData, body.initialCharge?.orderId]).toEqual([201, 'ERROR', '', undefined]);
    const record = (await first.call(GetSubscription, { params: { id: body.id } })).body;
    expect(record.statusHistory.map((entry) => entry.status)).toEqual(['INITIAL', 'ERROR']);
    const [notification] = await events.until(isAbout(body.id, 'SUBSCRIPTION.ERROR'));
    verified(notification!, SubscriptionNotification, first.webhookSecret);
  });

  test('is 503 when the bank does not reply, and waits for authorization when the same key is sent again', async (context) => {
    needs(context, 'simulated-bank', reserved);
    const body = journey2(accountId, { description: 'silent@bank.example' });
    const ask = { key: randomUUID(), body };
    refused(await first.refused(CreateSubscription, ask), 503);
    expect((await first.call(CreateSubscription, ask)).body.status).toBe('PENDING_AUTHORIZATION');
  });
});
