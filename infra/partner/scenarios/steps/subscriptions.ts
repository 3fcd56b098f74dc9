import { randomUUID } from 'node:crypto';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { renderUnicodeCompact } from 'uqr';
import type * as z from 'zod';
import { ForceScheduledPaymentStatus } from '#functions/order-tools/force-scheduled-payment-status/contract.ts';
import { ForceSubscriptionStatus } from '#functions/order-tools/force-subscription-status/contract.ts';
import { CreateScheduledPayment } from '#functions/scheduled-payments/create/contract.ts';
import { ListScheduledPayments } from '#functions/scheduled-payments/list/contract.ts';
import { CreateSubscription } from '#functions/subscriptions/create/contract.ts';
import { ToolFailure } from '#infra/partner/command-line.ts';
import type { Act, Day } from '../context.ts';
import { dateOf, thing } from '../context.ts';
import type { Telling } from '../reporter.ts';

type SubscriptionBody = z.input<(typeof CreateSubscription)['body']>;
type PaymentBody = z.input<(typeof CreateScheduledPayment)['body']>;

/** A value of BRL as a request names it. */
export function brl(value: string): { readonly currency: 'BRL'; readonly value: string } {
  return { currency: 'BRL', value };
}

/** A monthly subscription of journey 2: its QR code authorizes the recurrence. */
export function subscribe(name: string, changes: Pick<SubscriptionBody, 'allowChargeAfterDueDate'> = {}): Act {
  return createSubscription(name, { type: 'AUTHORIZATION_QRCODE', ...changes });
}

/** A monthly subscription of journey 3: its QR code also pays the first charge, the pay-in `charge`. */
export function subscribeWithCharge(name: string, charge: string, value: string): Act {
  const type = 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT';
  return createSubscription(name, { type, initialCharge: { amount: brl(value) } }, charge);
}

function createSubscription(
  name: string,
  changes: Pick<SubscriptionBody, 'type' | 'allowChargeAfterDueDate' | 'initialCharge'>,
  chargeName?: string,
): Act {
  return async (world) => {
    const { partner, accountId, hearing, tell } = world;
    const body: SubscriptionBody = {
      accountId,
      externalId: `story-${randomUUID()}`,
      description: 'Monthly coffee',
      webhookUrl: hearing.url,
      frequencyType: 'MONTHLY',
      startDate: dateOf(world, { cycle: 0 }),
      debtor: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
      ...changes,
    };
    const { body: made } = await partner.call(CreateSubscription, { key: randomUUID(), body });
    world.things.set(name, { kind: 'subscription', id: made.id });
    tell.fact('subscription', made.id);
    tell.fact('recurrence', made.providerId);
    tell.fact('status', made.status);
    if (chargeName !== undefined) {
      const { orderId, amount } = made.initialCharge ?? {};
      if (orderId === undefined || amount === undefined)
        throw new ToolFailure('The subscription has no first charge.', 'One of journey 3 has an initialCharge.');
      world.things.set(chargeName, { kind: 'payIn', id: orderId, of: made.id });
      tell.fact('first charge', `BRL ${amount.value}, order ${orderId}`);
    }
    showQrCode(tell, made);
  };
}

/** The payer's bank moves the subscription. */
export function bankMoves(name: string, status: z.input<(typeof ForceSubscriptionStatus)['body']>['status']): Act {
  return async (world) => {
    const body = { id: thing(world, name).id, status };
    world.tell.say((await world.partner.call(ForceSubscriptionStatus, { body })).body.description);
  };
}

/** A charge of a subscription. */
export function schedule(
  name: string,
  { of, due, value, newAttemptOf }: { of: string; due: Day; value: string; newAttemptOf?: string },
): Act {
  return async (world) => {
    const subscriptionId = thing(world, of).id;
    const body: PaymentBody = {
      externalId: `story-${randomUUID()}`,
      dueDate: dateOf(world, due),
      amount: brl(value),
      ...(newAttemptOf !== undefined && {
        purpose: 'NEW_ATTEMPT_AFTER_DUE_DATE',
        originalScheduledPaymentId: thing(world, newAttemptOf).id,
      }),
    };
    const { body: made } = await world.partner.call(CreateScheduledPayment, { params: { id: subscriptionId }, body });
    world.things.set(name, { kind: 'payment', id: made.id, of: subscriptionId });
    world.tell.fact(name, `BRL ${made.amount.value}, due ${made.dueDate}, ${made.status}`);
  };
}

/** The payer's bank moves a scheduled payment. */
export function bankMovesPayment(
  name: string,
  status: z.input<(typeof ForceScheduledPaymentStatus)['body']>['status'],
): Act {
  return async (world) => {
    const body = { id: thing(world, name).id, status };
    world.tell.say((await world.partner.call(ForceScheduledPaymentStatus, { body })).body.description);
  };
}

/** Finds the resend that the service made of a payment. */
export function findResend(name: string, of: string): Act {
  return async (world) => {
    const { id, of: subscription = '' } = thing(world, of);
    const ask = { params: { id: subscription }, query: { limit: '100' } };
    const { data } = (await world.partner.call(ListScheduledPayments, ask)).body;
    const resend = data.find(
      (one) => one.purpose === 'RESEND_DUE_TO_SETTLEMENT_ERROR' && one.originalScheduledPaymentId === id,
    );
    if (resend === undefined)
      throw new ToolFailure(`The service has made no resend of ${of}.`, 'It makes one within a minute, before 21:00.');
    world.things.set(name, { kind: 'payment', id: resend.id, of: subscription });
    world.tell.fact(
      name,
      `attempt ${resend.settlementErrorRetryAttempt ?? '?'}, due ${resend.dueDate}, ${resend.status}`,
    );
  };
}

/**
 * Shows the QR code that a payer reads, and checks that the image reads as the text.
 * @throws ToolFailure when there is no text, or the image is none or reads as something else.
 */
export function showQrCode(
  tell: Telling,
  { qrcodeData, qrcodeImageBase64 }: { readonly qrcodeData: string; readonly qrcodeImageBase64: string },
): void {
  tell.check('there is a QR code', qrcodeData !== '' && qrcodeImageBase64 !== '', 'its text or its image is empty');
  tell.say(renderUnicodeCompact(qrcodeData, { ecc: 'M', border: 2 }));
  tell.say(qrcodeData);
  const read = readImage(qrcodeImageBase64);
  tell.check('the image reads as the text', read === qrcodeData, read ?? 'it shows no QR code');
}

function readImage(base64: string): string | undefined {
  try {
    const { data, width, height } = PNG.sync.read(Buffer.from(base64, 'base64'));
    return jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
  } catch {
    throw new ToolFailure(
      'The image of the QR code is no PNG.',
      'qrcodeImageBase64 is one in base64, without a prefix.',
    );
  }
}
