import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { brasiliaDate, instantAt, plusDays, plusMonths } from '#shared/core/brasilia-time.ts';
import { needs } from '#test/support/environment.ts';
import { clockOf } from '#test/acceptance/clocks.ts';
import { balanceOf, difference } from '#test/acceptance/money.ts';
import { isAbout } from '#test/acceptance/notifications.ts';
import { activeAccount, turned, useReceiver } from '#test/acceptance/partners.ts';
import { force, listCharges, schedule, subscription } from '#test/acceptance/turned-charges.ts';

const inbox = useReceiver();
const account = activeAccount(turned);
const clock = clockOf(turned);
beforeAll(async () => {
  await clock.reset();
  await clock.to('2031-01-05', '12:00');
});
afterAll(clock.reset);

const prefix = 'SUBSCRIPTION.SCHEDULED_PAYMENT';

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
  const payments = await listCharges(id);
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
});

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
      const resend = (await listCharges(id)).find((one) => one.settlementErrorRetryAttempt === attempt);
      expect(resend).toMatchObject({
        ...{ status: 'PENDING', purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR', dueDate: day },
        originalScheduledPaymentId: last,
        settlementErrorRetryRootId: payment.id,
      });
      last = resend!.id;
    }
    await force(last, 'ACCEPTED', 'COMPLETED');
    expect(await listCharges(id)).toHaveLength(4);
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
    const resend = (await listCharges(early)).find(({ id }) => id !== one.id);
    expect(resend!.createdAt >= instantAt(day, '20:59') && resend!.createdAt < instantAt(day, '21:00')).toBe(true);
    await force(other.id, 'CANCELED_SETTLEMENT_ERROR');
    await clock.to(day, '23:30');
    expect(await listCharges(late)).toMatchObject([{ id: other.id, status: 'CANCELED' }]);
    await events.until(isAbout(other.id, `${prefix}.CANCELLATION.ACCEPTED`));
  });
});

test('a charge becomes ERROR, with its event, when the bank has not received it by the end of its day', async (context) => {
  needs(context, 'simulated-bank', 'the description that makes it silent is one of its own');
  const day = '2032-03-20';
  const events = inbox();
  const [id, otherId] = [await subscription(day, events), await subscription(day, events)];
  const lost = await schedule(id, { dueDate: day, description: 'silent@bank.example' });
  const taken = await schedule(otherId, { dueDate: day });
  await clock.to(day, '23:59');
  expect(await listCharges(id)).toMatchObject([{ id: lost.id, status: 'PENDING' }]);
  await clock.to(plusDays(day, 3), '09:00');
  expect(await listCharges(id)).toMatchObject([{ status: 'ERROR', errorCode: 'DENC' }]);
  await events.until(isAbout(lost.id, `${prefix}.ERROR`));
  expect(await listCharges(otherId)).toMatchObject([{ id: taken.id, status: 'PENDING' }]);
  const again = { purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE', originalScheduledPaymentId: lost.id } as const;
  expect((await schedule(id, { ...again, dueDate: plusDays(day, 5) })).status).toBe('PENDING');
});

test('a subscription that is canceled cancels its open payments, except the one due on that day', async () => {
  const today = '2032-04-10';
  const events = inbox();
  await clock.to(today, '08:00');
  const id = await subscription(today, events);
  for (let month = 0; month < 4; month += 1) await schedule(id, { dueDate: plusMonths(today, month) });
  await turned.call(ForceSubscriptionStatus, { body: { id, status: 'CANCELED' } });
  await clock.advance(60);
  const [due, ...others] = await listCharges(id);
  expect(due).toMatchObject({ dueDate: today, status: 'PENDING' });
  expect(others).toHaveLength(3);
  for (const { status, cancellation, updatedAt } of others) {
    expect([status, cancellation?.reason]).toEqual(['CANCELED', 'AUTHORIZATION_CANCELED']);
    expect(brasiliaDate(updatedAt)).toBe(today);
  }
  await events.until(isAbout(others[0]!.id, `${prefix}.CANCELLATION.ACCEPTED`));
});
