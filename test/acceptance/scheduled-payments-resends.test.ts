import { expect, test } from 'vitest';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { GetScheduledPayment } from '#functions/scheduled-payments/get/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { brasiliaDate, instantAt, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import { receivedAt } from '@banking-order/partner-tools';
import { leaveOpen } from '../support/not-judged.ts';
import { refused } from '../support/refusals.ts';
import { isAbout, ScheduledPaymentNotification, verified } from './notifications.ts';
import { activeAccount, environment, eventually, first } from './partners.ts';
import { journey2, scheduledPayment } from './samples.ts';

const { owedResend } = environment;
const minuteOrSoMs = 75_000;
/** A machine with other things to do may run a job late; the resend itself says when it was made. */
const patienceMs = 240_000;

test(
  'a settlement error today is followed by a resend within a minute or so',
  { timeout: 300_000 },
  async (context) => {
    if (owedResend === undefined) {
      leaveOpen(
        context,
        'an owed resend',
        'the bank has none, or the run began after 20:57 (clock-year shows resends)',
      );
      return;
    }
    const { paymentId, subscriptionId, webhookUrl, owedSince } = owedResend;
    const list = async () => (await first.call(ListScheduledPayments, { params: { id: subscriptionId } })).body.data;
    const payments = await eventually(list, ({ length }) => length > 1, patienceMs);
    expect(payments).toHaveLength(2);
    const payment = (await first.call(GetScheduledPayment, { params: { id: subscriptionId, paymentId } })).body;
    const resend = payments.find((one) => one.id !== paymentId);
    expect(resend).toMatchObject({
      status: 'PENDING',
      purpose: 'RESEND_DUE_TO_SETTLEMENT_ERROR',
      originalScheduledPaymentId: paymentId,
      settlementErrorRetryRootId: paymentId,
      settlementErrorRetryAttempt: 1,
      amount: payment.amount,
      dueDate: payment.dueDate,
    });
    expect(resend?.endToEndId).not.toBe(payment.endToEndId);
    if (environment.capabilities.includes('latency'))
      expect(Date.parse(resend!.createdAt) - Date.parse(owedSince)).toBeLessThan(minuteOrSoMs);
    const pending = isAbout(resend!.id, 'SUBSCRIPTION.SCHEDULED_PAYMENT.PENDING');
    const notifications = await eventually(
      async () => (await receivedAt(webhookUrl)).filter(pending),
      ({ length }) => length > 0,
      patienceMs,
    );
    expect(verified(notifications[0]!, ScheduledPaymentNotification, first.webhookSecret).data).toEqual(resend);
  },
);

const now = () => instantFromEpochMs(Date.now());
const today = brasiliaDate(now());

test('a payment for today is accepted before 21:00, and refused from 21:00 on', async () => {
  const body = journey2(activeAccount(first).id, { startDate: today });
  const { id } = (await first.call(CreateSubscription, { body })).body;
  await first.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } });
  const ask = { params: { id }, body: scheduledPayment({ dueDate: today }) };
  const end = instantAt(today, '21:00');
  const askedAt = now();
  const response = await first.answer(CreateScheduledPayment, ask);
  const isOver = askedAt >= end;
  if (isOver === now() >= end) expect(response.status, response.text).toBe(isOver ? 409 : 201);
  if (response.status === 409) refused(response, 409, ['dueDate:OUTSIDE_WINDOW']);
});
