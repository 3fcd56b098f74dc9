import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { GetSubscription } from '#functions/subscriptions/get/contract.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { balanceOf, difference } from './money.ts';
import { isAbout, PayInNotification, RefundNotification, verified } from './notifications.ts';
import { activeAccount, first, useReceiver } from './partners.ts';
import { brl, journey3, maria, payIn, pedro } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const account = activeAccount(first);
let events: Inbox;
beforeAll(async () => {
  events = inbox('pay-ins');
  await sendEverythingTo(first, events);
});

const force = (id: string, status: string) => first.call(ForceOrderStatus, { body: { id, status: status as 'PAID' } });
async function refund(id: string): Promise<void> {
  await first.call(RefundPayIn, { params: { id }, body: {} });
  await force(id, 'REFUNDED');
}
/** Why not at a bank by API Pix. */
const endsOfCobs = 'a cob is only paid by itself; the service asks for every other end';
const read = async (id: string) => (await first.call(GetPayIn, { params: { id } })).body;
const create = async (changes: Parameters<typeof payIn>[1] = {}) =>
  (await first.call(CreatePayIn, { body: payIn(account.id, changes) })).body;
const readNotification = async (id: string, event: string) => {
  const [notification] = await events.until(isAbout(id, event));
  return verified(notification!, PayInNotification, first.webhookSecret);
};

describe('a forced transition of a pay-in', () => {
  test('to PAID credits the account and notifies the partner of the payer', async () => {
    const before = await balanceOf(first, account.id);
    const { id, externalId } = await create({ payer: pedro });
    await force(id, 'PAID');
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 1050, reserved: 0 });
    const record = await read(id);
    expect(record).toMatchObject({ status: 'PAID', paidAt: expect.any(String), endToEndId: expect.any(String) });
    const notification = await readNotification(id, 'ORDER-PAYIN.PAID');
    expect(notification).toMatchObject({
      id,
      code: externalId,
      status: 'PAID',
      type: 'PAY-IN',
      paidAt: record.paidAt,
      endToEndId: record.endToEndId,
      controlNumber: null,
      description: 'Fatura 42',
      amount: brl('10.50'),
      ownerBank: { name: account.fullName, document: account.document.number },
      payer: pedro,
    });
    expect(notification).not.toHaveProperty('subscription');
  });

  test.for([
    ['CANCELED', 'canceledAt'],
    ['EXPIRED', 'expiredAt'],
    ['ERROR', 'errorMessage'],
  ] as const)(
    'to %s leaves the balance unchanged, sets %s and notifies the partner',
    async ([status, field], context) => {
      needs(context, 'simulated-bank', endsOfCobs);
      const before = await balanceOf(first, account.id);
      const { id } = await create();
      await force(id, status);
      const record = await read(id);
      expect(record).toMatchObject({ status, [field]: expect.any(String) });
      const notification = await readNotification(id, `ORDER-PAYIN.${status}`);
      expect(notification).toMatchObject({ status, paidAt: null, endToEndId: null, payer: maria });
      expect(await balanceOf(first, account.id)).toEqual(before);
    },
  );

  test.for([
    ['PENDING', [], ['REFUNDED']],
    ['PAID', ['PAID'], ['PAID', 'CANCELED', 'EXPIRED', 'ERROR']],
    ['CANCELED', ['CANCELED'], ['PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED']],
    ['EXPIRED', ['EXPIRED'], ['PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED']],
    ['ERROR', ['ERROR'], ['PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED']],
    ['REFUNDED', ['PAID', 'REFUNDED'], ['PAID', 'CANCELED', 'EXPIRED', 'ERROR', 'REFUNDED']],
  ] as const)('from %s is refused where section 3 has no such transition', async ([status, moves, wanted], context) => {
    if (['CANCELED', 'EXPIRED', 'ERROR'].includes(status)) needs(context, 'simulated-bank', endsOfCobs);
    const { id } = await create();
    for (const move of moves) await (move === 'REFUNDED' ? refund(id) : force(id, move));
    const before = [await read(id), await balanceOf(first, account.id)];
    for (const move of wanted) {
      const response = await first.refused(ForceOrderStatus, { body: { id, status: move } });
      refused(response, 409, ['status:TRANSITION_NOT_ALLOWED']);
      expect(response.details[0]?.description).toContain(status);
    }
    expect([await read(id), await balanceOf(first, account.id)]).toEqual(before);
  });

  test('to PAID credits once and notifies once when it is requested twenty times concurrently', async () => {
    const before = await balanceOf(first, account.id);
    const { id } = await create();
    const body = { id, status: 'PAID' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => first.answer(ForceOrderStatus, { body })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 1050, reserved: 0 });
    await refund(id);
    await events.until(isAbout(id, 'ORDER-PAYIN.REFUNDED'));
    expect(events.received.filter(isAbout(id, 'ORDER-PAYIN.PAID'))).toHaveLength(1);
  });

  test('is not found when no order has the id, and is refused when the id is malformed', async () => {
    refused(await first.refused(ForceOrderStatus, { body: { id: 'unknown', status: 'PAID' } }), 400, [
      'id:INVALID_FORMAT',
    ]);
    for (const id of [randomUUID(), account.id])
      refused(await first.refused(ForceOrderStatus, { body: { id, status: 'PAID' } }), 404);
  });
});

describe('the first charge of journey 3', () => {
  test('is paid and refunded as an order that names its subscription, and leaves the subscription alone', async () => {
    const before = await balanceOf(first, account.id);
    const asked = journey3(account.id, { payer: pedro });
    const { body } = await first.call(CreateSubscription, { body: asked });
    const orderId = body.initialCharge!.orderId!;
    await force(orderId, 'PAID');
    const paid = await readNotification(orderId, 'ORDER-PAYIN.PAID');
    const subscription = { id: body.id, code: asked.externalId };
    expect(paid).toMatchObject({ subscription, payer: pedro, amount: brl('29.90') });
    expect(paid.subscription).not.toHaveProperty('scheduledPayment');
    expect(paid.code).not.toBe(asked.externalId);
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 2990, reserved: 0 });

    await refund(orderId);
    const [notification] = await events.until(isAbout(orderId, 'ORDER-PAYIN.REFUNDED'));
    const refunded = verified(notification!, RefundNotification, first.webhookSecret);
    expect(refunded).toMatchObject({ subscription, code: paid.code, paidAt: paid.paidAt });
    expect(refunded.endToEndId).not.toBe(paid.endToEndId);
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 0, reserved: 0 });

    const record = await first.call(GetSubscription, { params: { id: body.id } });
    expect(record.body.status).toBe('PENDING_AUTHORIZATION');
  });

  test('takes the debtor for its payer when no other was named', async () => {
    const { body } = await first.call(CreateSubscription, { body: journey3(account.id) });
    const orderId = body.initialCharge!.orderId!;
    await force(orderId, 'PAID');
    expect((await readNotification(orderId, 'ORDER-PAYIN.PAID')).payer).toMatchObject(maria);
  });
});
