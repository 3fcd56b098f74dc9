import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { simulatedChargeTriggers } from '#shared/sandbox/charge-events.ts';
import type { Inbox } from '@banking-order/partner-tools';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { each } from '../support/each.ts';
import { balanceOf, difference } from './money.ts';
import {
  ChargeCancellationNotification,
  isAbout,
  PayInNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  verified,
} from './notifications.ts';
import { activeAccount, first, useReceiver } from './partners.ts';
import { brl, journey2, scheduledPayment } from './samples.ts';
import { sendEverythingTo } from './settings.ts';

const inbox = useReceiver();
const account = activeAccount(first);
type Trigger = (typeof simulatedChargeTriggers)[number];

/** A monthly subscription from 10 January 2030 that the payer accepted. */
async function subscription(events: Inbox, changes: Parameters<typeof journey2>[1] = {}): Promise<string> {
  const { body } = await first.call(CreateSubscription, {
    body: journey2(account.id, { webhookUrl: events.url, ...changes }),
  });
  await first.call(ForceSubscriptionStatus, { body: { id: body.id, status: 'ACCEPTED' } });
  return body.id;
}
const schedule = async (id: string, changes: Parameters<typeof scheduledPayment>[0] = {}) =>
  (await first.call(CreateScheduledPayment, { params: { id }, body: scheduledPayment(changes) })).body;
const read = async (id: string, paymentId: string) =>
  (await first.call(GetScheduledPayment, { params: { id, paymentId } })).body;
async function force(id: string, ...statuses: readonly Trigger[]): Promise<void> {
  for (const status of statuses) await first.call(ForceScheduledPaymentStatus, { body: { id, status } });
}
const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';

describe('a scheduled payment', () => {
  test('is created once by its external id, read as it was returned with its client, and notified as PENDING', async () => {
    const events = inbox();
    const id = await subscription(events);
    const body = scheduledPayment({ description: 'Janeiro' });
    const created = await first.call(CreateScheduledPayment, { params: { id }, body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ status: 'PENDING', subscriptionId: id, purpose: 'FIRST_ATTEMPT' });
    const again = await first.call(CreateScheduledPayment, { params: { id }, body });
    // A bank of its own gives the number of a payment later.
    const { endToEndId } = again.body;
    expect([again.status, again.body]).toEqual([
      200,
      { ...created.body, ...(endToEndId !== undefined && { endToEndId }) },
    ]);
    const other = await first.refused(CreateScheduledPayment, { params: { id }, body: { ...body, amount: brl(1) } });
    refused(other, 409, ['externalId:ALREADY_EXISTS']);
    expect(await read(id, created.body.id)).toMatchObject(created.body);

    const [notification] = await events.until(isAbout(created.body.id, `${prefix}.PENDING`));
    expect(verified(notification!, ScheduledPaymentNotification, first.webhookSecret).data).toEqual({
      ...created.body,
      createdBy: first.clientId,
    });
  });

  test('is listed by due date in pages, first and last first', async () => {
    const id = await subscription(inbox());
    for (const dueDate of ['2030-03-10', '2030-01-31', '2030-02-10']) await schedule(id, { dueDate });
    const dates: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string> = { limit: '2', ...(cursor !== null && { cursor }) };
      const { body } = await first.call(ListScheduledPayments, { params: { id }, query });
      dates.push(...body.data.map(({ dueDate }) => dueDate));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(dates).toEqual(['2030-01-31', '2030-02-10', '2030-03-10']);
    const { body } = await first.call(ListScheduledPayments, { params: { id }, query: { sort: 'desc', limit: '1' } });
    expect(body).toMatchObject({ hasNext: true, data: [{ dueDate: '2030-03-10' }] });
  });

  test('is one live first attempt a cycle', async () => {
    const id = await subscription(inbox());
    const { id: paymentId } = await schedule(id, { dueDate: '2030-02-09' });
    const body = scheduledPayment({ dueDate: '2030-01-10' });
    refused(await first.refused(CreateScheduledPayment, { params: { id }, body }), 409, ['dueDate:ALREADY_EXISTS']);
    await force(paymentId, 'REJECTED');
    expect((await first.call(CreateScheduledPayment, { params: { id }, body })).status).toBe(201);
  });
});

describe('the simulation tool for scheduled payments', () => {
  test('settles a payment as a pay-in, credits the account, and notifies of payment, pay-in and refund', async () => {
    const [events, orders] = [inbox(), inbox()];
    await sendEverythingTo(first, orders);
    const before = await balanceOf(first, account.id);
    const id = await subscription(events, { fixedAmount: brl('12.34') });
    const payment = await schedule(id, { amount: undefined, description: 'Janeiro' });
    await force(payment.id, 'ACCEPTED', 'COMPLETED');
    const record = await read(id, payment.id);
    expect(record).toMatchObject({ status: 'COMPLETED', amount: brl('12.34'), endToEndId: expect.any(String) });
    expect(payment.endToEndId ?? record.endToEndId).toBe(record.endToEndId);
    const orderId = record.orderId!;
    expect((await first.call(GetPayIn, { params: { id: orderId } })).body).toMatchObject({
      ...{ status: 'PAID', qrcodeData: '', qrcodeImageBase64: '', amount: brl('12.34') },
      endToEndId: record.endToEndId,
    });
    expect(difference(before, await balanceOf(first, account.id))).toEqual({ available: 1234, reserved: 0 });

    const [completed] = await events.until(isAbout(payment.id, `${prefix}.COMPLETED`));
    expect(verified(completed!, ScheduledPaymentNotification, first.webhookSecret).data).toEqual(record);
    const [paid] = await orders.until(isAbout(orderId, 'ORDER-PAYIN.PAID'));
    const payload = verified(paid!, PayInNotification, first.webhookSecret);
    const scheduled = { id: payment.id, externalId: payment.externalId };
    expect(payload.subscription).toMatchObject({ id, scheduledPayment: scheduled });

    await first.call(RefundPayIn, { params: { id: orderId }, body: {} });
    await first.call(ForceOrderStatus, { body: { id: orderId, status: 'REFUNDED' } });
    const [refunded] = await orders.until(isAbout(orderId, 'ORDER-PAYIN.REFUNDED'));
    const refund = verified(refunded!, RefundNotification, first.webhookSecret);
    expect([refund.code, refund.subscription]).toEqual([payload.code, payload.subscription]);
  });

  test.each([
    ['CANCELED', 'CANCELED', 'REQUESTED_BY_PAYER'],
    ['CANCELED_INSUFFICIENT_BALANCE', 'CANCELED_INSUFFICIENT_BALANCE', 'OTHER_REASONS'],
    ['CANCELED_SETTLEMENT_ERROR', 'CANCELED', 'SETTLEMENT_ERROR'],
  ] as const)(
    'cancels a payment by %s with the reason and the fields of section 6.5',
    async (trigger, status, reason) => {
      const events = inbox();
      const id = await subscription(events);
      const { id: paymentId } = await schedule(id);
      await force(paymentId, 'ACCEPTED', trigger);
      const { cancellation, ...record } = await read(id, paymentId);
      expect([record.status, cancellation?.status, cancellation?.reason]).toEqual([status, 'ACCEPTED', reason]);
      const [notification] = await events.until(isAbout(paymentId, `${prefix}.CANCELLATION.ACCEPTED`));
      const { data } = verified(notification!, ChargeCancellationNotification, first.webhookSecret);
      expect(data).toEqual({
        ...{ id: paymentId, externalId: record.externalId, subscriptionId: id, status, purpose: 'FIRST_ATTEMPT' },
        ...{ updatedAt: record.updatedAt, cancellation },
      });
    },
  );

  test('refuses a transition that section 3 does not list', async () => {
    const id = await subscription(inbox());
    const { id: paymentId } = await schedule(id);
    for (const status of ['COMPLETED', 'CANCELED_INSUFFICIENT_BALANCE'] as const) {
      refused(await first.refused(ForceScheduledPaymentStatus, { body: { id: paymentId, status } }), 409, [
        'status:TRANSITION_NOT_ALLOWED',
      ]);
    }
    await force(paymentId, 'REJECTED');
    for (const status of simulatedChargeTriggers)
      refused(await first.refused(ForceScheduledPaymentStatus, { body: { id: paymentId, status } }), 409);
  });
});

test('a request to cancel is open until the bank answers it, and is repeated by its key', async (context) => {
  needs(context, 'simulated-bank', 'API Pix cancels a charge immediately');
  const events = inbox();
  const id = await subscription(events);
  const { id: paymentId } = await schedule(id);
  const ask = { params: { id, paymentId }, body: {}, key: randomUUID() };
  const requested = await first.call(CancelScheduledPayment, ask);
  expect(requested.body).toMatchObject({ status: 'PENDING', reason: 'REQUESTED_BY_RECEIVER' });
  expect((await first.call(CancelScheduledPayment, ask)).body).toEqual(requested.body);
  const another = await first.refused(CancelScheduledPayment, { ...ask, key: randomUUID() });
  refused(another, 409, ['paymentId:TRANSITION_NOT_ALLOWED']);
  await force(paymentId, 'CANCELED');
  expect((await read(id, paymentId)).cancellation).toMatchObject({ id: requested.body.id, status: 'ACCEPTED' });
  await events.until(isAbout(paymentId, `${prefix}.CANCELLATION.PENDING`));
  await events.until(isAbout(paymentId, `${prefix}.CANCELLATION.ACCEPTED`));
});

test('a subscription that is canceled cancels its open payments within seconds, each with its event', async () => {
  const events = inbox();
  const id = await subscription(events);
  const payments: { readonly id: string }[] = [];
  for (const dueDate of ['2030-01-10', '2030-02-10', '2030-03-10']) payments.push(await schedule(id, { dueDate }));
  await first.call(ForceSubscriptionStatus, { body: { id, status: 'CANCELED' } });
  for (const { id: paymentId } of each(payments)) {
    await events.until(isAbout(paymentId, `${prefix}.CANCELLATION.ACCEPTED`));
    expect(await read(id, paymentId)).toMatchObject({
      status: 'CANCELED',
      cancellation: { reason: 'AUTHORIZATION_CANCELED' },
    });
  }
});
