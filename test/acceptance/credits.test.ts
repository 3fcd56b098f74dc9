import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { AssignCredit } from '#functions/credits/assign/contract.ts';
import { GetCredit } from '#functions/credits/get/contract.ts';
import { ListCredits } from '#functions/credits/list/contract.ts';
import { ReturnCredit } from '#functions/credits/return/contract.ts';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import type { Inbox, Notification } from '@banking-order/partner-tools';
import { receiveCredit } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { CreditNotification, CreditReturnNotification, isAbout, PayInNotification, verified } from './notifications.ts';
import { activeAccount, first, second, useReceiver } from './partners.ts';
import { brl, payIn } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const accountId = activeAccount(first).id;
const unknown = randomUUID();
let events: Inbox;
beforeAll(async () => {
  events = inbox('credits');
  await sendEverythingTo(first, events);
});

const received = (value: string, more: { orderId?: string } = {}) =>
  receiveCredit(first, { accountId, amount: brl(value), ...more });
const read = async (id: string) => (await first.call(GetCredit, { params: { id } })).body;
const back = (id: string, body: object = {}) => first.call(ReturnCredit, { params: { id }, body });
const force = (id: string, status: 'PAID' | 'REFUNDED' | 'ERROR') =>
  first.call(ForceOrderStatus, { body: { id, status } });
const ofCredit =
  (id: string, event: string) =>
  ({ body }: Notification): boolean => {
    const said = body as { event: string; data?: { id?: string; credit?: { id: string } } };
    return said.event === event && (said.data?.credit?.id ?? said.data?.id) === id;
  };

describe('money to the bare key', () => {
  test('is available at once, listed, and notified with its record', async () => {
    const before = await balanceOf(first, accountId);
    const id = await received('12.34');
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: 1234, reserved: 0 });
    const record = await read(id);
    expect(record).toMatchObject({ accountId, amount: brl('12.34'), reason: 'NO_CHARGE', status: 'OPEN', returns: [] });
    const { endToEndId } = record;
    const { returns: _returns, ...entry } = record;
    for (const query of [{ endToEndId }, { status: 'OPEN', accountId, limit: '5' }])
      expect((await first.call(ListCredits, { query })).body.data).toContainEqual(entry);
    const [notification] = await events.until(ofCredit(id, 'CREDIT.RECEIVED'));
    expect(verified(notification!, CreditNotification, first.webhookSecret).data).toEqual(entry);
  });

  test('goes back in parts, each with its notification, and is RETURNED with the last', async () => {
    const id = await received('10.00');
    const before = await balanceOf(first, accountId);
    const part = (await back(id, { amount: brl('4.00') })).body;
    expect(part).toMatchObject({ creditId: id, amount: brl('4.00'), status: 'PENDING' });
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -400, reserved: 400 });
    await force(part.returnId, 'REFUNDED');
    expect(await read(id)).toMatchObject({ status: 'OPEN', returnedAmount: brl('4.00') });
    const rest = (await back(id)).body;
    await force(rest.returnId, 'REFUNDED');
    expect(await read(id)).toMatchObject({ status: 'RETURNED', returnedAmount: brl('10.00') });
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -1000, reserved: 0 });
    const told = await events.until(ofCredit(id, 'CREDIT.RETURNED'), 2);
    const returns = told.map((one) => verified(one, CreditReturnNotification, first.webhookSecret).data.return);
    expect(returns.map(({ returnId }) => returnId).toSorted()).toEqual([part.returnId, rest.returnId].toSorted());
    refused(await first.refused(ReturnCredit, { params: { id }, body: {} }), 409, ['status:TRANSITION_NOT_ALLOWED']);
  });

  test('stays when its return fails, with the amount available again', async () => {
    const id = await received('3.00');
    const before = await balanceOf(first, accountId);
    const { returnId } = (await back(id)).body;
    await force(returnId, 'ERROR');
    expect(await balanceOf(first, accountId)).toEqual(before);
    expect(await read(id)).toMatchObject({ status: 'OPEN', returns: [{ returnId, status: 'FAILED' }] });
    const [notification] = await events.until(ofCredit(id, 'CREDIT.RETURN_FAILED'));
    const { return: failed } = verified(notification!, CreditReturnNotification, first.webhookSecret).data;
    expect(failed).toMatchObject({ returnId, status: 'FAILED', errorMessage: expect.any(String) });
  });

  test('is returned once when it is requested ten times concurrently with one key', async () => {
    const id = await received('5.00');
    const before = await balanceOf(first, accountId);
    const ask = { params: { id }, key: randomUUID(), body: {} };
    const responses = await Promise.all(Array.from({ length: 10 }, () => first.call(ReturnCredit, ask)));
    expect(new Set(responses.map(({ received: { text } }) => text)).size).toBe(1);
    expect(difference(before, await balanceOf(first, accountId))).toEqual({ available: -500, reserved: 500 });
    await force(responses[0]!.body.returnId, 'REFUNDED');
  });
});

describe('a second payment of a QR code', () => {
  test('is a credit that names its pay-in, which stays paid by the first', async () => {
    const { id: orderId } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('7.00') }) })).body;
    await force(orderId, 'PAID');
    const paid = (await first.call(GetPayIn, { params: { id: orderId } })).body;
    const id = await received('7.00', { orderId });
    expect(await read(id)).toMatchObject({ orderId, reason: 'SECOND_PAYMENT', status: 'OPEN' });
    expect((await first.call(GetPayIn, { params: { id: orderId } })).body).toEqual(paid);
  });
});

describe('an assigned credit', () => {
  test('pays a pending pay-in of its amount, with the usual notification and no further entry', async () => {
    const { id: orderId } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('8.80') }) })).body;
    const id = await received('8.80');
    const before = await balanceOf(first, accountId);
    const ask = { params: { id }, body: { orderId } };
    for (let times = 0; times < 2; times += 1)
      expect((await first.call(AssignCredit, ask)).body).toMatchObject({ id, orderId, status: 'ASSIGNED' });
    expect(await balanceOf(first, accountId)).toEqual(before);
    const { endToEndId } = await read(id);
    expect((await first.call(GetPayIn, { params: { id: orderId } })).body).toMatchObject({
      status: 'PAID',
      endToEndId,
    });
    const [notification] = await events.until(isAbout(orderId, 'ORDER-PAYIN.PAID'));
    expect(verified(notification!, PayInNotification, first.webhookSecret)).toMatchObject({ amount: brl('8.80') });
    const other = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('8.80') }) })).body;
    refused(await first.refused(AssignCredit, { params: { id }, body: { orderId: other.id } }), 409, [
      'status:TRANSITION_NOT_ALLOWED',
    ]);
  });
});

describe('a request about a credit', () => {
  test('is refused when it is of another company or of none', async () => {
    const id = await received('1.00');
    refused(await second.refused(GetCredit, { params: { id } }), 404);
    refused(await second.refused(ReturnCredit, { params: { id }, body: {} }), 404);
    refused(await second.refused(AssignCredit, { params: { id }, body: { orderId: unknown } }), 404);
    expect((await second.call(ListCredits, { query: { accountId } })).body.data).toEqual([]);
    refused(await first.refused(GetCredit, { params: { id: unknown } }), 404);
  });

  test('is refused with each invalid field named', async () => {
    refused(await first.refused(GetCredit, { params: { id: 'x' } }), 400, ['id:INVALID_FORMAT']);
    refused(await first.refused(ListCredits, { query: { status: 'CLOSED' } }), 400, ['status:INVALID_VALUE']);
    refused(await first.refused(ReturnCredit, { params: { id: unknown }, body: { amount: brl('0.00') } }), 400, [
      'amount.value:INVALID_FORMAT',
    ]);
    refused(await first.refused(AssignCredit, { params: { id: unknown }, body: {} }), 400, ['orderId:REQUIRED']);
    refused(await first.refused(ReceiveCredit, { body: { accountId } }), 400);
  });

  test('is refused when the money does not fit', async () => {
    const id = await received('1.00');
    refused(await first.refused(ReturnCredit, { params: { id }, body: { amount: brl('1.01') } }), 409, [
      'amount:LIMIT_EXCEEDED',
    ]);
    const { id: orderId } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('2.00') }) })).body;
    refused(await first.refused(AssignCredit, { params: { id }, body: { orderId } }), 409, ['orderId:INVALID_VALUE']);
  });

  test('the tool refuses a credit that would pay a pay-in, and one of an unknown account', async (context) => {
    needs(context, 'simulated-bank', 'a connected bank has other accounts');
    const { id: orderId } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('2.00') }) })).body;
    refused(await first.refused(ReceiveCredit, { body: { accountId, amount: brl('2.00'), orderId } }), 409, [
      'amount:INVALID_VALUE',
    ]);
    refused(await first.refused(ReceiveCredit, { body: { accountId: unknown, amount: brl('2.00') } }), 404);
  });
});
