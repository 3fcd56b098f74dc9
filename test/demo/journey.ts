import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { renderUnicodeCompact } from 'uqr';
import { ForceOrderStatus } from '../../functions/order-tools/force-order-status/contract.ts';
import { ForceSubscriptionStatus } from '../../functions/order-tools/force-subscription-status/contract.ts';
import { GetPayIn } from '../../functions/pay-ins/get/contract.ts';
import { CreateSubscription } from '../../functions/subscriptions/create/contract.ts';
import { GetSubscription } from '../../functions/subscriptions/get/contract.ts';
import { GetDelivery } from '../../functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '../../functions/webhooks/list-deliveries/contract.ts';
import type { AnswerOf } from '../../shared/contracts/contract.ts';
import type { Partner } from '../support/client.ts';
import type { Inbox, Notification } from '../support/receiver.ts';
import { signatureFaults } from '../support/receiver-signatures.ts';
import { check, DemoFailure, fact, say, step } from './telling.ts';

/** The receiver refuses each notification so often before it takes it. */
export const REFUSALS = 2;
const DELIVERED_WITHIN_MS = 60_000;

export type Subscribed = { readonly subscriptionId: string; readonly orderId: string };

/** A subscription of journey 3: one QR code that pays the first charge and authorizes the recurrence. */
export async function subscribe(partner: Partner, inbox: Inbox): Promise<Subscribed> {
  step('Create a subscription whose QR code also pays the first charge (journey 3)');
  const { id: accountId } = partner.accounts[0] ?? { id: '' };
  const { status, body } = await partner.call(CreateSubscription, {
    key: randomUUID(),
    body: {
      accountId,
      type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
      externalId: `demo-${randomUUID()}`,
      description: 'Monthly coffee',
      webhookUrl: inbox.url,
      frequencyType: 'MONTHLY',
      startDate: '2030-01-10',
      debtor: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
      initialCharge: { amount: { currency: 'BRL', value: '29.90' } },
    },
  });
  fact('subscription', body.id);
  fact('recurrence', body.providerId);
  fact('status', `${body.status} (${status})`);
  const charge = body.initialCharge;
  if (charge === undefined) throw new DemoFailure('A journey 3 subscription must have a first charge.');
  fact('first charge', `BRL ${charge.amount.value}, order ${charge.orderId}`);

  step('Show the QR code that the payer reads');
  say(renderUnicodeCompact(body.qrcodeData, { ecc: 'M', border: 2 }));
  say(body.qrcodeData);
  const { data, width, height } = PNG.sync.read(Buffer.from(body.qrcodeImageBase64, 'base64'));
  const read = jsqr.default(new Uint8ClampedArray(data), width, height)?.data;
  check('the image reads as the text', read === body.qrcodeData, read);
  return { subscriptionId: body.id, orderId: charge.orderId };
}

/** The payer pays: forced by the tool, told by a signed notification. */
export async function payFirstCharge(
  partner: Partner,
  inbox: Inbox,
  { orderId, subscriptionId }: Subscribed,
): Promise<void> {
  step('The payer pays the first charge (the simulation tool stands for the bank)');
  say((await partner.call(ForceOrderStatus, { body: { id: orderId, status: 'PAID' } })).body.description);
  const { body } = await partner.call(GetPayIn, { params: { id: orderId } });
  check('the order is PAID', body.status === 'PAID', body.status);
  const told = await receive(partner, inbox, 'ORDER-PAYIN.PAID', orderId);
  check(
    'it says who paid and for which subscription',
    idOf(told['subscription']) === subscriptionId,
    told['subscription'],
  );
}

export async function refundFirstCharge(partner: Partner, inbox: Inbox, { orderId }: Subscribed): Promise<void> {
  step('The charge is refunded');
  say((await partner.call(ForceOrderStatus, { body: { id: orderId, status: 'REFUNDED' } })).body.description);
  const { body } = await partner.call(GetPayIn, { params: { id: orderId } });
  check('the order is REFUNDED', body.status === 'REFUNDED', body.status);
  const told = await receive(partner, inbox, 'ORDER-PAYIN.REFUNDED', orderId);
  check('it carries the id of the refund', typeof told['refundId'] === 'string', told['refundId']);
}

export async function accept(partner: Partner, inbox: Inbox, { subscriptionId: id }: Subscribed): Promise<void> {
  step('The payer’s bank accepts the recurrence');
  say((await partner.call(ForceSubscriptionStatus, { body: { id, status: 'ACCEPTED' } })).body.description);
  const { body } = await partner.call(GetSubscription, { params: { id } });
  check('the subscription is ACCEPTED', body.status === 'ACCEPTED', body.status);
  check('the payer’s account is known', body.payer?.bankData !== undefined, body.payer);
  await receive(partner, inbox, 'SUBSCRIPTION.ACCEPTED', id);
}

/** Shows every attempt of a notification: refused twice, then taken, with the same bytes and right signatures each time. */
async function receive(
  { webhookSecret }: Partner,
  inbox: Inbox,
  event: string,
  id: string,
): Promise<Record<string, unknown>> {
  const fits = ({ body }: Notification): boolean => {
    const { event: named, id: own, data } = body as Record<string, unknown>;
    return named === event && (own === id || idOf(data) === id);
  };
  const attempts = await inbox.until(fits, REFUSALS + 1, DELIVERED_WITHIN_MS).catch((error: unknown) => {
    throw new DemoFailure(
      `${event} did not arrive as it should: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  const [first] = attempts;
  if (first === undefined) throw new DemoFailure(`${event} did not arrive.`);
  for (const { at, call } of attempts)
    fact(
      `attempt ${call}`,
      `after ${((at - first.at) / 1000).toFixed(1)} s, answered with ${call > REFUSALS ? 200 : 500}`,
    );
  const faults = attempts.flatMap((attempt) => signatureFaults(attempt, webhookSecret));
  const rotated = 'the secret in the sandbox file is not the present one: was it rotated?';
  check('every attempt is signed in both ways', faults.length === 0, `${faults.join('; ')} (${rotated})`);
  const same = attempts.every(({ raw, id: webhookId }) => raw.equals(first.raw) && webhookId === first.id);
  check(`${event}: the same bytes and webhook-id at every attempt`, same);
  return first.body as Record<string, unknown>;
}

/** What the partner can look up afterwards. */
export async function showDeliveries(partner: Partner, { orderId, subscriptionId }: Subscribed): Promise<void> {
  step('Look at the delivery log');
  // An answer of the receiver is recorded a moment after it was given.
  const isDone = (found: Delivery[]): boolean => found.filter(({ status }) => status === 'DELIVERED').length === 3;
  let ours: Delivery[] = [];
  for (let looks = 0; looks < 50 && !isDone(ours); looks++) {
    if (looks > 0) await sleep(100);
    ours = await deliveriesOf(partner, [orderId, subscriptionId]);
  }
  for (const { event, status, attempts } of ours) {
    const calls = attempts.map(({ httpStatus, durationMs }) => `${httpStatus ?? '–'} in ${durationMs ?? '–'} ms`);
    fact(status, `${event.padEnd(24)} ${calls.join(', ')}`);
  }
  check('three notifications were delivered', isDone(ours), ours);
  const counted = ours.every(({ attemptsCount }) => attemptsCount === REFUSALS + 1);
  check(`each at attempt ${REFUSALS + 1}`, counted);
}

type Delivery = AnswerOf<typeof GetDelivery>['body'];

async function deliveriesOf(partner: Partner, ids: readonly string[]): Promise<Delivery[]> {
  const { body } = await partner.call(ListDeliveries, { query: { limit: '10' } });
  const records = await Promise.all(body.data.map(({ id }) => partner.call(GetDelivery, { params: { id } })));
  return records
    .map((record) => record.body)
    .filter(({ payload }) => ids.some((id) => payload['id'] === id || idOf(payload['data']) === id));
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined;
}
