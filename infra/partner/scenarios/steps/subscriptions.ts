import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ToolFailure } from '#infra/partner/command-line.ts';
import type { Step, Day } from '../context.ts';
import { dateOf, resourceOf } from '../context.ts';
import { showQrCode } from './qr-code.ts';

type SubscriptionBody = z.input<(typeof CreateSubscription)['body']>;
type PaymentBody = z.input<(typeof CreateScheduledPayment)['body']>;

/** A value of BRL as a request names it. */
export function brl(value: string): { readonly currency: 'BRL'; readonly value: string } {
  return { currency: 'BRL', value };
}

/** A monthly subscription of journey 2: its QR code authorizes the recurrence. */
export function subscribe(name: string, changes: Pick<SubscriptionBody, 'allowChargeAfterDueDate'> = {}): Step {
  return createSubscription(name, { type: 'AUTHORIZATION_QRCODE', ...changes });
}

/** A monthly subscription of journey 3: its QR code also pays the first charge, the pay-in `charge`. */
export function subscribeWithCharge(name: string, charge: string, value: string): Step {
  const type = 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT';
  return createSubscription(name, { type, initialCharge: { amount: brl(value) } }, charge);
}

function createSubscription(
  name: string,
  changes: Pick<SubscriptionBody, 'type' | 'allowChargeAfterDueDate' | 'initialCharge'>,
  chargeName?: string,
): Step {
  return async (context) => {
    const { partner, accountId, receiver, reporter } = context;
    const body: SubscriptionBody = {
      accountId,
      externalId: `scenario-${randomUUID()}`,
      description: 'Monthly coffee',
      webhookUrl: receiver.url,
      frequencyType: 'MONTHLY',
      startDate: dateOf(context, { cycle: 0 }),
      debtor: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
      ...changes,
    };
    const { body: made } = await partner.call(CreateSubscription, { key: randomUUID(), body });
    context.resources.set(name, { kind: 'subscription', id: made.id });
    reporter.fact('subscription', made.id);
    reporter.fact('recurrence', made.providerId);
    reporter.fact('status', made.status);
    if (chargeName !== undefined) {
      const { orderId, amount } = made.initialCharge ?? {};
      if (orderId === undefined || amount === undefined)
        throw new ToolFailure('The subscription has no first charge.', 'One of journey 3 has an initialCharge.');
      context.resources.set(chargeName, { kind: 'payIn', id: orderId, of: made.id });
      reporter.fact('first charge', `BRL ${amount.value}, order ${orderId}`);
    }
    showQrCode(reporter, made);
  };
}

/** The payer's bank moves the subscription. */
export function bankMoves(name: string, status: z.input<(typeof ForceSubscriptionStatus)['body']>['status']): Step {
  return async (context) => {
    const body = { id: resourceOf(context, name).id, status };
    context.reporter.say((await context.partner.call(ForceSubscriptionStatus, { body })).body.description);
  };
}

/** A charge of a subscription. */
export function schedule(
  name: string,
  { of, due, value, newAttemptOf }: { of: string; due: Day; value: string; newAttemptOf?: string },
): Step {
  return async (context) => {
    const subscriptionId = resourceOf(context, of).id;
    const body: PaymentBody = {
      externalId: `scenario-${randomUUID()}`,
      dueDate: dateOf(context, due),
      amount: brl(value),
      ...(newAttemptOf !== undefined && {
        purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
        originalScheduledPaymentId: resourceOf(context, newAttemptOf).id,
      }),
    };
    const { body: made } = await context.partner.call(CreateScheduledPayment, { params: { id: subscriptionId }, body });
    context.resources.set(name, { kind: 'payment', id: made.id, of: subscriptionId });
    context.reporter.fact(name, `BRL ${made.amount.value}, due ${made.dueDate}, ${made.status}`);
  };
}

/** The payer's bank moves a scheduled payment. */
export function bankMovesPayment(
  name: string,
  status: z.input<(typeof ForceScheduledPaymentStatus)['body']>['status'],
): Step {
  return async (context) => {
    const body = { id: resourceOf(context, name).id, status };
    context.reporter.say((await context.partner.call(ForceScheduledPaymentStatus, { body })).body.description);
  };
}

/** Finds the resend that the service made of a payment. */
export function findResend(name: string, of: string): Step {
  return async (context) => {
    const { id, of: subscription = '' } = resourceOf(context, of);
    const ask = { params: { id: subscription }, query: { limit: '100' } };
    const { data } = (await context.partner.call(ListScheduledPayments, ask)).body;
    const resend = data.find(
      (one) => one.purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR' && one.originalScheduledPaymentId === id,
    );
    if (resend === undefined)
      throw new ToolFailure(`The service has made no resend of ${of}.`, 'It makes one within a minute, before 21:00.');
    context.resources.set(name, { kind: 'payment', id: resend.id, of: subscription });
    context.reporter.fact(
      name,
      `attempt ${resend.settlementErrorRetryAttempt ?? '?'}, due ${resend.dueDate}, ${resend.status}`,
    );
  };
}
