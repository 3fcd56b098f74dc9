import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { brasiliaDate, instantAt, instantFromEpochMs } from '#shared/core/brasilia-time.ts';
import type { Partner } from '@banking-order/partner-tools';
import { brl, journey2, payIn, scheduledPayment } from './samples.ts';

/** What waits for a job of the minute, for the tests that look at it when the others have run. */
export type Waits = {
  /** A pay-in that expires a minute after it was made. */
  readonly expiring: { readonly id: string; readonly expireDateTime: string };
  /** A scheduled payment that ended with a settlement error; none too late in the day for a resend. */
  readonly owedResend?: OwedResend;
};
type OwedResend = {
  readonly paymentId: string;
  readonly subscriptionId: string;
  /** Where the subscription's notifications go; `receivedAt` of this URL shows them. */
  readonly webhookUrl: string;
  readonly owedSince: string;
};

/** Between these the run of the minute decides on which side of 21:00 the resend falls: no promise to hold it to. */
const lastSafeTime = '20:57';

/** Begins what takes a minute, so that it passes while the other tests run. */
export async function beginWaits(partner: Partner, webhookUrl: string): Promise<Waits> {
  const accountId = partner.accounts[0]?.id ?? '';
  const unpaid = payIn(accountId, { amount: brl('1.23'), expiresInSeconds: 60 });
  const { body } = await partner.call(CreatePayIn, { body: unpaid });
  const expiring = { id: body.id, expireDateTime: body.expireDateTime };
  const now = instantFromEpochMs(Date.now());
  if (now >= instantAt(brasiliaDate(now), lastSafeTime)) return { expiring };
  return { expiring, owedResend: await makeOwedResend(partner, accountId, webhookUrl) };
}

async function makeOwedResend(partner: Partner, accountId: string, webhookUrl: string): Promise<OwedResend> {
  const today = brasiliaDate(instantFromEpochMs(Date.now()));
  const { id: subscriptionId } = (
    await partner.call(CreateSubscription, { body: journey2(accountId, { webhookUrl, startDate: today }) })
  ).body;
  await partner.call(ForceSubscriptionStatus, { body: { id: subscriptionId, status: 'ACCEPTED' } });
  const ask = { params: { id: subscriptionId }, body: scheduledPayment({ dueDate: today }) };
  const { id: paymentId, createdAt: owedSince } = (await partner.call(CreateScheduledPayment, ask)).body;
  await partner.call(ForceScheduledPaymentStatus, { body: { id: paymentId, status: 'CANCELED_SETTLEMENT_ERROR' } });
  return { paymentId, subscriptionId, webhookUrl, owedSince };
}
