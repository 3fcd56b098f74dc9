import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CancelPayIn } from '#functions/pay-ins/cancel/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { isAbout, RefundNotification, verified } from './notifications.ts';
import { activeAccount, first, second, useReceiver } from './partners.ts';
import { bankAccount, brl, payIn, payout } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const accountId = activeAccount(first).id;
let events: Inbox;
beforeAll(async () => {
  events = inbox('refunds');
  await sendEverythingTo(first, events);
});

const force = (id: string, status: 'PAID' | 'REFUNDED') => first.call(ForceOrderStatus, { body: { id, status } });

async function paidPayIn(account = accountId, value = '10.50'): Promise<string> {
  const { body } = await first.call(CreatePayIn, { body: payIn(account, { amount: brl(value) }) });
  await force(body.id, 'PAID');
  return body.id;
}

describe('a refund', () => {
  test('reserves the amount when it is asked for and spends it when the bank settles it', async () => {
    const id = await paidPayIn();
    const before = await balanceOf(first, accountId);
    const { status, body } = await first.call(RefundPayIn, { params: { id }, body: { description: 'Desistência' } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ orderId: id, amount: brl('10.50'), status: 'PENDING' });
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -1050, reserved: 1050 });
    expect((await first.call(GetPayIn, { params: { id } })).body.status).toBe('PAID');

    await force(id, 'REFUNDED');
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -1050, reserved: 0 });
    const record = (await first.call(GetPayIn, { params: { id } })).body;
    const [notification] = await events.until(isAbout(id, 'ORDER-PAYIN.REFUNDED'));
    const payload = verified(notification!, RefundNotification, first.webhookSecret);
    expect(payload).toMatchObject({ refundId: body.refundId, code: record.externalId, paidAt: record.paidAt });
    expect(payload).toMatchObject({ refundedAt: record.refundedAt });
    expect(payload.updatedAt >= record.refundedAt!).toBe(true);
    expect(payload).not.toHaveProperty('subscription');
  });

  test('takes the amount immediately when the bank refunds by itself', async (context) => {
    needs(context, 'simulated-bank', 'unsolicited returns are listed and have an alarm');
    const before = await balanceOf(first, accountId);
    const id = await paidPayIn();
    await force(id, 'REFUNDED');
    expect(await balanceOf(first, accountId)).toEqual(before);
    const [notification] = await events.until(isAbout(id, 'ORDER-PAYIN.REFUNDED'));
    expect(verified(notification!, RefundNotification, first.webhookSecret).refundId).not.toBe('');
  });

  test('a refund of a part leaves the pay-in PAID, and the last part makes it REFUNDED, each with its notification', async () => {
    const id = await paidPayIn();
    const before = await balanceOf(first, accountId);
    const part = (value: string) => first.call(RefundPayIn, { params: { id }, body: { amount: brl(value) } });
    const settle = (refundId: string) => first.call(ForceOrderStatus, { body: { id: refundId, status: 'REFUNDED' } });
    const [one, two] = [(await part('4.00')).body, (await part('6.50')).body];
    refused(await first.refused(RefundPayIn, { params: { id }, body: { amount: brl('0.01') } }), 409, [
      'amount:LIMIT_EXCEEDED',
    ]);
    await settle(two.refundId);
    const record = () => first.call(GetPayIn, { params: { id } });
    expect((await record()).body).toMatchObject({ status: 'PAID', refundedAmount: brl('6.50') });
    await settle(one.refundId);
    expect((await record()).body).toMatchObject({ status: 'REFUNDED', refundedAmount: brl('10.50') });
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -1050, reserved: 0 });
    const told = await events.until(isAbout(id, 'ORDER-PAYIN.REFUNDED'), 2);
    const payloads = told.map((one) => verified(one, RefundNotification, first.webhookSecret));
    expect(payloads.find(({ refundId }) => refundId === two.refundId)).toMatchObject({
      ...{ amount: brl('6.50'), refundedAmount: brl('6.50'), orderStatus: 'PAID' },
    });
    expect(payloads.find(({ refundId }) => refundId === one.refundId)).toMatchObject({
      ...{ amount: brl('4.00'), refundedAmount: brl('10.50'), orderStatus: 'REFUNDED' },
    });
  });

  test('is refused while another one of the whole is pending, and after the pay-in is refunded', async () => {
    const id = await paidPayIn();
    await first.call(RefundPayIn, { params: { id }, body: {} });
    refused(await first.refused(RefundPayIn, { params: { id }, body: {} }), 409, ['amount:LIMIT_EXCEEDED']);
    await force(id, 'REFUNDED');
    const late = await first.refused(RefundPayIn, { params: { id }, body: {} });
    refused(late, 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('is created once when it is requested twenty times concurrently with one key', async () => {
    const id = await paidPayIn();
    const before = await balanceOf(first, accountId);
    const ask = { params: { id }, key: randomUUID(), body: {} };
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.call(RefundPayIn, ask)));
    expect(new Set(responses.map(({ received }) => received.text)).size).toBe(1);
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -1050, reserved: 1050 });
    await force(id, 'REFUNDED');
    // A key that moved money is kept permanently, and its response does not change with the order.
    const again = await first.call(RefundPayIn, ask);
    expect(again.received.text).toBe(responses[0]?.received.text);
  });

  test('is refused unless the pay-in was paid', async () => {
    const { body } = await first.call(CreatePayIn, { body: payIn(accountId) });
    const params = { id: body.id };
    refused(await first.refused(RefundPayIn, { params, body: {} }), 409);
    await first.call(CancelPayIn, { params });
    refused(await first.refused(RefundPayIn, { params, body: {} }), 409);
    refused(await first.refused(RefundPayIn, { params: { id: randomUUID() }, body: {} }), 404);
  });

  test('is refused when the account has spent the money, by the caller and by the bank', async () => {
    const poor = activeAccount(second).id;
    const { body } = await second.call(CreatePayIn, { body: payIn(poor, { amount: brl('0.99') }) });
    await second.call(ForceOrderStatus, { body: { id: body.id, status: 'PAID' } });
    const before = await balanceOf(second, poor);
    const rest = brl((before.available / 100).toFixed(2));
    const ted = {
      paymentMethod: 'TED',
      receiver: payIn(poor).payer,
      paymentData: { bankAccount: bankAccount },
    } as const;
    const spent = await second.call(CreatePayout, { body: payout(poor, { ...ted, amount: rest }) });
    refused(await second.refused(RefundPayIn, { params: { id: body.id }, body: {} }), 409, [
      'amount:INSUFFICIENT_BALANCE',
    ]);
    const tool = await second.refused(ForceOrderStatus, { body: { id: body.id, status: 'REFUNDED' } });
    refused(tool, 409, ['amount:INSUFFICIENT_BALANCE']);
    await second.call(ForceOrderStatus, { body: { id: spent.body.id, status: 'CANCELED' } });
    expect(await balanceOf(second, poor)).toEqual(before);
  });
});
