import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CancelScheduledPayment } from '#functions/scheduled-payments/cancel/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import type { LocalDate } from '#shared/core/brasilia-time.ts';
import { brasiliaDate, instantAt, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import type { simulatedChargeTriggers } from '#shared/sandbox/charge-events.ts';
import type { Inbox } from '#infra/partner/receiver/receiver.ts';
import { needs } from '../support/environment.ts';
import { refused } from '../support/refusals.ts';
import { clockOf } from './clocks.ts';
import { balanceOf, difference } from './money.ts';
import { isAbout } from './notifications.ts';
import { activeAccount, environment, turned, useReceiver } from './partners.ts';
import { journey2, scheduledPayment } from './samples.ts';

const inbox = useReceiver();
const account = activeAccount(turned);
const clock = clockOf(turned);
beforeAll(async () => {
  await clock.reset();
  await clock.to('2031-01-05', '12:00');
});
afterAll(clock.reset);

type Trigger = (typeof simulatedChargeTriggers)[number];
type PaymentChanges = Parameters<typeof scheduledPayment>[0];
const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';

async function subscription(startDate: LocalDate, events: Inbox): Promise<string> {
  const body = journey2(account.id, { startDate, webhookUrl: events.url, allowChargeAfterDueDate: true });
  const { id } = (await turned.call(CreateSubscription, { body })).body;
  await turned.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } });
  return id;
}
const schedule = async (id: string, changes: PaymentChanges) =>
  (await turned.call(CreateScheduledPayment, { params: { id }, body: scheduledPayment(changes) })).body;
async function force(id: string, ...statuses: readonly Trigger[]): Promise<void> {
  for (const status of statuses) await turned.call(ForceScheduledPaymentStatus, { body: { id, status } });
}
const list = async (id: string) =>
  (await turned.call(ListScheduledPayments, { params: { id }, query: { limit: '100' } })).body.data;

test('a year of a monthly subscription: ten charges paid, one refused, one without money and paid by a new attempt', async () => {
  const events = inbox();
  const start = '2031-01-10';
  const id = await subscription(start, events);
  const before = await balanceOf(turned, account.id);
  const refused = 3;
  const withoutMoney = 6;
  for (let month = 0; month < 12; month += 1) {
    const dueDate = plusMonths(start, month);
    await clock.to(plusDays(dueDate, -3), '12:00');
    const payment = await schedule(id, { dueDate });
    await clock.to(dueDate, '09:00');
    if (month === refused) await force(payment.id, 'REJECTED');
    else if (month === withoutMoney) {
      await force(payment.id, 'ACCEPTED', 'CANCELED_INSUFFICIENT_BALANCE');
      await clock.to(plusDays(dueDate, 1), '10:00');
      const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: payment.id } as const;
      const attempt = await schedule(id, { ...again, dueDate: plusDays(dueDate, 4) });
      await clock.to(plusDays(dueDate, 4), '09:00');
      await force(attempt.id, 'ACCEPTED', 'COMPLETED');
    } else await force(payment.id, 'ACCEPTED', 'COMPLETED');
  }
  const payments = await list(id);
  const count = (status: string, purpose = 'FIRST_ATTEMPT') =>
    payments.filter((one) => one.status === status && one.purpose === purpose).length;
  expect(payments).toHaveLength(13);
  expect([count('COMPLETED'), count('REJECTED'), count('CANCELED_INSUFFICIENT_BALANCE')]).toEqual([10, 1, 1]);
  expect(count('COMPLETED', 'NEW_ATTEMPT_AFTER_DUE_DATE')).toBe(1);
  for (const { statusHistory, settlementDate } of payments)
    expect(brasiliaDate(statusHistory.at(-1)!.createdAt)).toBe(settlementDate);
  expect(difference(before, await balanceOf(turned, account.id))).toEqual({ available: 11 * 4990, reserved: 0 });
  const last = payments.at(-1)!;
  await events.until(isAbout(last.id, `${prefix}.COMPLETED`));
}, 120_000);

describe('on one day of the next year', () => {
  const day = '2032-02-10';

  test('a charge with settlement errors is sent again three times, and paid by the third', async () => {
    const id = await subscription(day, inbox());
    await clock.to(plusDays(day, -1), '12:00');
    const payment = await schedule(id, { dueDate: day });
    await clock.to(day, '10:00');
    let last = payment.id;
    for (const attempt of [1, 2, 3]) {
      await force(last, 'CANCELED_SETTLEMENT_ERROR');
      await clock.advance(60);
      const resend = (await list(id)).find((one) => one.settlementErrorRetryAttempt === attempt);
      expect(resend).toMatchObject({
        ...{ status: 'PENDING', purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR', dueDate: day },
        originalScheduledPaymentId: last,
        settlementErrorRetryRootId: payment.id,
      });
      last = resend!.id;
    }
    await force(last, 'ACCEPTED', 'COMPLETED');
    expect(await list(id)).toHaveLength(4);
  });

  test('an error at 20:59 is resent also by a call that jumps over 21:00; one at 21:01 is not', async () => {
    const events = inbox();
    const [early, late] = [await subscription(day, events), await subscription(day, events)];
    const [one, other] = [await schedule(early, { dueDate: day }), await schedule(late, { dueDate: day })];
    await force(one.id, 'ACCEPTED');
    await force(other.id, 'ACCEPTED');
    await clock.to(day, '20:59');
    await force(one.id, 'CANCELED_SETTLEMENT_ERROR');
    await clock.to(day, '21:01');
    const resend = (await list(early)).find(({ id }) => id !== one.id);
    expect(resend!.createdAt >= instantAt(day, '20:59') && resend!.createdAt < instantAt(day, '21:00')).toBe(true);
    await force(other.id, 'CANCELED_SETTLEMENT_ERROR');
    await clock.to(day, '23:30');
    expect(await list(late)).toMatchObject([{ id: other.id, status: 'CANCELED' }]);
    await events.until(isAbout(other.id, `${prefix}.CANCELLATION.ACCEPTED`));
  });
});

test('a charge for the day itself is taken at 20:59, from 21:00 on it is too late', async () => {
  const day = '2032-02-12';
  const [id, otherId] = [await subscription(day, inbox()), await subscription(day, inbox())];
  await clock.to(day, '20:59');
  expect(await schedule(id, { dueDate: day })).toMatchObject({ status: 'PENDING', settlementDate: day });
  await clock.to(day, '21:00');
  const ask = { params: { id: otherId }, body: scheduledPayment({ dueDate: day }) };
  const late = await turned.refused(CreateScheduledPayment, ask);
  refused(late, 409, ['dueDate:OUTSIDE_WINDOW']);
});

test('a cancellation at 21:59 of the eve is taken, one at 22:01 is too late', async () => {
  const [eve, day] = ['2032-03-09', '2032-03-10'];
  const [id, otherId] = [await subscription(day, inbox()), await subscription(day, inbox())];
  const [one, other] = [await schedule(id, { dueDate: day }), await schedule(otherId, { dueDate: day })];
  const ask = (of: string, paymentId: string) => ({ params: { id: of, paymentId }, body: {} });
  await clock.to(eve, '21:59');
  const { status, body } = await turned.call(CancelScheduledPayment, ask(id, one.id));
  expect([status, body.status]).toEqual([201, 'PENDING']);
  await clock.to(eve, '22:01');
  const late = await turned.refused(CancelScheduledPayment, ask(otherId, other.id));
  refused(late, 409, ['paymentId:OUTSIDE_WINDOW']);
  // API Pix cancels at once.
  if (environment.turned === undefined) await force(one.id, 'CANCELED');
  expect(await list(id)).toMatchObject([{ status: 'CANCELED', cancellation: { status: 'ACCEPTED' } }]);
});

test('a charge that the bank never got by the end of its day is an error, told as such; one that it has goes on', async (context) => {
  needs(context, 'simulated-bank', 'the description that makes it silent is one of its own');
  const day = '2032-03-20';
  const events = inbox();
  const [id, otherId] = [await subscription(day, events), await subscription(day, events)];
  const lost = await schedule(id, { dueDate: day, description: 'silent@bank.example' });
  const taken = await schedule(otherId, { dueDate: day });
  await clock.to(day, '23:59');
  expect(await list(id)).toMatchObject([{ id: lost.id, status: 'PENDING' }]);
  await clock.to(plusDays(day, 3), '09:00');
  expect(await list(id)).toMatchObject([{ status: 'ERROR', errorCode: 'DENC' }]);
  await events.until(isAbout(lost.id, `${prefix}.ERROR`));
  expect(await list(otherId)).toMatchObject([{ id: taken.id, status: 'PENDING' }]);
  const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: lost.id } as const;
  expect((await schedule(id, { ...again, dueDate: plusDays(day, 5) })).status).toBe('PENDING');
});

test('a subscription that is canceled takes its open payments with it, but for the one of the day', async () => {
  const today = '2032-04-10';
  const events = inbox();
  await clock.to(today, '08:00');
  const id = await subscription(today, events);
  for (let month = 0; month < 4; month += 1) await schedule(id, { dueDate: plusMonths(today, month) });
  await turned.call(ForceSubscriptionStatus, { body: { id, status: 'CANCELED' } });
  await clock.advance(60);
  const [due, ...others] = await list(id);
  expect(due).toMatchObject({ dueDate: today, status: 'PENDING' });
  expect(others).toHaveLength(3);
  for (const { status, cancellation, updatedAt } of others) {
    expect([status, cancellation?.reason]).toEqual(['CANCELED', 'AUTHORIZATION_CANCELED']);
    expect(brasiliaDate(updatedAt)).toBe(today);
  }
  await events.until(isAbout(others[0]!.id, `${prefix}.CANCELLATION.ACCEPTED`));
});
