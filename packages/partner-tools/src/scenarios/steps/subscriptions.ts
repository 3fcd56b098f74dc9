import { randomUUID } from 'node:crypto';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { renderUnicodeCompact } from 'uqr';
import type * as z from 'zod';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ToolFailure } from '#partner-tools/failures.ts';
import type { Step, Day } from '../context.ts';
import { dateOf, resourceOf } from '../context.ts';
import type { Reporter } from '../reporter.ts';

type SubscriptionBody = z.input<(typeof CreateSubscription)['body']>;
type FirstCharge = { readonly name: string; readonly value: string };
type PaymentBody = z.input<(typeof CreateScheduledPayment)['body']>;

/** The payer of the scenarios. */
export const maria = { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } } as const;

/** An amount of a request. */
export function brl(value: string): { readonly currency: 'BRL'; readonly value: string } {
  return { currency: 'BRL', value };
}

/**
 * Creates a monthly subscription. Its QR code authorizes the recurrence (journey 2); with a `charge` it also pays the
 * first charge, the pay-in of that name (journey 3).
 */
export function subscribe(
  name: string,
  { charge, ...changes }: Pick<SubscriptionBody, 'allowChargeAfterDueDate'> & { charge?: FirstCharge } = {},
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
      debtor: maria,
      ...changes,
      ...(charge === undefined
        ? { type: 'AUTHORIZATION_QRCODE' }
        : { type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT', initialCharge: { amount: brl(charge.value) } }),
    };
    const { body: created } = await partner.call(CreateSubscription, { key: randomUUID(), body });
    context.resources.set(name, { kind: 'subscription', id: created.id });
    reporter.fact('subscription', created.id);
    reporter.fact('recurrence', created.providerId);
    reporter.fact('status', created.status);
    if (charge !== undefined) {
      const { orderId, amount } = created.initialCharge ?? {};
      if (orderId === undefined || amount === undefined)
        throw new ToolFailure(
          'The subscription has no first charge.',
          'A subscription of journey 3 has an initialCharge.',
        );
      context.resources.set(charge.name, { kind: 'payIn', id: orderId, subscriptionId: created.id });
      reporter.fact('first charge', `BRL ${amount.value}, order ${orderId}`);
    }
    showQrCode(reporter, created);
  };
}

/** Schedules a charge of a subscription. */
export function schedule(
  name: string,
  { subscription, due, value, newAttemptOf }: { subscription: string; due: Day; value: string; newAttemptOf?: string },
): Step {
  return async (context) => {
    const subscriptionId = resourceOf(context, subscription).id;
    const body: PaymentBody = {
      externalId: `scenario-${randomUUID()}`,
      dueDate: dateOf(context, due),
      amount: brl(value),
      ...(newAttemptOf !== undefined && {
        purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
        originalScheduledPaymentId: resourceOf(context, newAttemptOf).id,
      }),
    };
    const { body: created } = await context.partner.call(CreateScheduledPayment, {
      params: { id: subscriptionId },
      body,
    });
    context.resources.set(name, { kind: 'payment', id: created.id, subscriptionId });
    context.reporter.fact(name, `BRL ${created.amount.value}, due ${created.dueDate}, ${created.status}`);
  };
}

/** Finds the resend that the service created of a payment. */
export function findResend(name: string, payment: string): Step {
  return async (context) => {
    const { id, subscriptionId: subscription = '' } = resourceOf(context, payment);
    const ask = { params: { id: subscription }, query: { limit: '100' } };
    const { data } = (await context.partner.call(ListScheduledPayments, ask)).body;
    const resend = data.find(
      (found) => found.purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR' && found.originalScheduledPaymentId === id,
    );
    if (resend === undefined)
      throw new ToolFailure(
        `The service has created no resend of ${payment}.`,
        'It creates one within a minute, before 21:00.',
      );
    context.resources.set(name, { kind: 'payment', id: resend.id, subscriptionId: subscription });
    context.reporter.fact(
      name,
      `attempt ${resend.settlementErrorRetryAttempt ?? '?'}, due ${resend.dueDate}, ${resend.status}`,
    );
  };
}

/** Shows a QR code. @throws ToolFailure when it has no text, or its image does not encode the text. */
export function showQrCode(
  reporter: Reporter,
  { qrcodeData, qrcodeImageBase64 }: { readonly qrcodeData: string; readonly qrcodeImageBase64: string },
): void {
  reporter.check('there is a QR code', qrcodeData !== '' && qrcodeImageBase64 !== '', 'its text or its image is empty');
  reporter.picture(() => renderUnicodeCompact(qrcodeData, { ecc: 'M', border: 2 }));
  reporter.say(qrcodeData);
  const read = readImage(qrcodeImageBase64);
  reporter.check('the image encodes the text', read === qrcodeData, read ?? 'the image shows no QR code');
}

function readImage(base64: string): string | undefined {
  try {
    const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'));
    return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
  } catch {
    throw new ToolFailure(
      'The image of the QR code is not a PNG.',
      'qrcodeImageBase64 must be a PNG in base64, without a prefix.',
    );
  }
}
