import { randomBytes, randomUUID } from 'node:crypto';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import {
  creditNotification,
  disputeNotification,
  payInNotification,
  refundNotification,
} from '#shared/webhooks/notification-examples.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';
import type { Post } from '../receiver/post.ts';

/** A check's pay-in, the receiver's secret, and the current time. */
export type CheckInput = { readonly order: TestOrder; readonly secret: string; readonly at: Instant };

export type Check = {
  readonly name: string;
  /** An act of the service, or of an attacker. */
  readonly situation: string;
  /** The expected response to each post: `taken` is 2xx, `refused` is 4xx. */
  readonly expected: 'taken' | 'refused';
  readonly posts: (input: CheckInput) => readonly Post[];
  /** The remedy for another response. */
  readonly cure: string;
  /** The specification allows another response: it is reported as advice, and the check does not fail. */
  readonly advice?: true;
};

const largeBytes = 64 * 1024;
const oldSeconds = 3600;

type Signing = Omit<Parameters<typeof signatureHeaders>[0], 'body'>;

/** Signs a body as the service does, except for the values in `signing`. */
function post({ secret, at }: CheckInput, body: object | string, signing: Partial<Signing> = {}): Post {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const usual = { id: randomUUID(), at, secrets: { current: secret } };
  return { headers: signatureHeaders({ ...usual, ...signing, body: text }), body: text };
}

const anotherSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** If the first check fails, the others do not run: a receiver that refuses everything would pass four of them. */
export const checks: readonly [Check, ...Check[]] = [
  {
    name: 'in time',
    situation: 'a notification as the service sends it',
    expected: 'taken',
    posts: (input) => [post(input, paid(input))],
    cure: 'Respond 2xx as soon as the notification is stored, and process it afterwards. Check that --secret is the secret of your receiver.',
  },
  {
    name: 'exact bytes',
    situation: 'JSON with whitespace, escapes and non-ASCII letters',
    expected: 'taken',
    posts: (input) => {
      const text = JSON.stringify(paid(input), null, 1).replace('Conceição', 'Concei\\u00e7\\u00e3o');
      return [post(input, `${text}\n`)];
    },
    cure: 'Verify the raw bytes of the request before you parse them: JSON that was serialized again has other bytes.',
  },
  {
    name: 'tampered',
    situation: 'the amount was changed after signing',
    expected: 'refused',
    posts: (input) => {
      const { headers, body } = post(input, paid(input));
      return [{ headers, body: body.replace('29.90', '99.90') }];
    },
    cure: 'Compute the HMAC of the received body, and respond 401 unless it equals the one in the header.',
  },
  {
    name: 'unsigned',
    situation: 'no signature header',
    expected: 'refused',
    posts: (input) => [{ headers: {}, body: JSON.stringify(paid(input)) }],
    cure: 'Respond 401 when the header is missing: an attacker can send such a request.',
  },
  {
    name: 'wrong secret',
    situation: 'signed with another secret than yours',
    expected: 'refused',
    posts: (input) => [post(input, paid(input), { secrets: { current: anotherSecret() } })],
    cure: 'Key the HMAC with your own secret, and compare the whole signature.',
  },
  {
    name: 'duplicate',
    situation: 'the same webhook-id three times',
    expected: 'taken',
    posts: (input) => {
      const once = post(input, paid(input), { id: randomUUID() });
      return [once, once, once];
    },
    cure: 'Respond 2xx to a notification that you already have: after any other status the service sends it again.',
  },
  {
    name: 'duplicate by resend',
    situation: 'the same webhook-id sent again later, with another time and another signature',
    expected: 'taken',
    posts: (input) => {
      const id = randomUUID();
      const body = paid(input);
      return [post(input, body, { id, at: plusSeconds(input.at, -60) }), post(input, body, { id })];
    },
    cure: 'Respond 2xx to a resend of a notification that you already have, and book it once: only the webhook-id identifies a notification.',
  },
  {
    name: 'rotation',
    situation: 'during a rotation: your secret is the new one, then the old one',
    expected: 'taken',
    posts: (input) => [
      post(input, paid(input), { secrets: { current: input.secret, previous: anotherSecret() } }),
      post(input, paid(input), { secrets: { current: anotherSecret(), previous: input.secret } }),
    ],
    cure: 'Accept any signature of webhook-signature, or X-Signature-SHA256-Previous beside X-Signature-SHA256.',
  },
  {
    name: 'unknown field',
    situation: 'a field that the current documentation does not list',
    expected: 'taken',
    posts: (input) => [post(input, { ...paid(input), addedLater: { of: 'the next version' } })],
    cure: 'Read the fields that you know and ignore the others: the service adds fields without notice.',
  },
  {
    name: 'unknown event',
    situation: 'an event that the current documentation does not list',
    expected: 'taken',
    posts: (input) => [post(input, { ...paid(input), event: 'ORDER-PAYIN.ADDED_LATER' })],
    cure: 'Respond 2xx to an event that you do not know, and do nothing else: the service adds events without notice.',
  },
  {
    name: 'large body',
    situation: `a body of ${largeBytes / 1024} KiB`,
    expected: 'taken',
    posts: (input) => [post(input, { ...paid(input), description: 'x'.repeat(largeBytes) })],
    cure: 'Raise the limit of your web server or framework.',
  },
  {
    name: 'part refunded',
    situation: 'a part of the payment is refunded: orderStatus is PAID',
    expected: 'taken',
    posts: (input) => [post(input, paid(input)), post(input, partRefunded(input))],
    cure: 'A part is not the whole: keep the order PAID, and book refundedAmount beside it.',
  },
  {
    name: 'unexpected money',
    situation: 'the paid order is paid once more: a credit, without an id beside its data',
    expected: 'taken',
    posts: (input) => [post(input, paid(input)), post(input, paidTwice(input))],
    cure: 'Respond 2xx to CREDIT.RECEIVED, and do not book it as the payment of an order: return the money, or assign it to a pay-in.',
  },
  {
    name: 'claimed back',
    situation: 'the payer claims the payment back, and it goes back: a dispute, without an id beside its data',
    expected: 'taken',
    posts: (input) => [post(input, paid(input)), post(input, claimedBack(input))],
    cure: 'Respond 2xx to DISPUTE.ACCEPTED, and take the payment for gone: no ORDER-PAYIN.REFUNDED comes beside it.',
  },
  {
    name: 'reordered',
    situation: 'the refund arrives before the payment',
    expected: 'taken',
    posts: (input) => [post(input, refunded(input)), post(input, paid(input))],
    cure: 'Acknowledge a late notification, and do not change your record when the updatedAt of the record is newer.',
  },
  {
    name: 'old',
    situation: 'recorded an hour ago and replayed',
    expected: 'refused',
    posts: (input) => [post(input, paid(input), { at: plusSeconds(input.at, -oldSeconds) })],
    cure: 'X-Signature-SHA256 covers only the body. Verify webhook-signature, which also covers the time, and refuse notifications older than five minutes.',
    advice: true,
  },
];

/** The pay-in of a check: an invented one, or one that the partner names. */
export type TestOrder = { readonly id: string; readonly code: string };

/** A well-formed order that does not exist. */
export function createTestOrder(): TestOrder {
  return { id: `${randomUUID().slice(0, -2)}00`, code: `check-receiver-${randomUUID().slice(0, 8)}` };
}

/** The notification of a pay-in that was paid a minute ago. */
function paid({ order, at }: CheckInput): object {
  const paidAt = plusSeconds(at, -60);
  return {
    ...payInNotification,
    ...order,
    paidAt,
    updatedAt: paidAt,
    endToEndId: 'E00000000202601151200TEST0000001',
    description: 'Café da manhã',
    amount: { currency: 'BRL', value: '29.90' },
    payer: { name: 'Conceição Araújo', document: { type: 'CPF', number: '52998224725' } },
  };
}

/** The notification of a credit: a second payment of the pay-in, at the time of the check. */
function paidTwice({ order, at }: CheckInput): object {
  const times = { receivedAt: at, updatedAt: at };
  const payment = { endToEndId: 'E00000000202601151202TEST0000002', amount: { currency: 'BRL', value: '29.90' } };
  const data = { ...creditNotification.data, id: randomUUID(), orderId: order.id, ...payment, ...times };
  return { ...creditNotification, occurredAt: at, data };
}

/** The notification of a dispute that the payer has won, at the time of the check. */
function claimedBack({ order, at }: CheckInput): object {
  const { data } = disputeNotification;
  const { amount } = data;
  const times = { dueAt: at, createdAt: plusSeconds(at, -50), updatedAt: at };
  const history = { statusHistory: [...data.statusHistory, { status: 'ACCEPTED', createdAt: at }] };
  const payment = { orderId: order.id, endToEndId: 'E00000000202601151200TEST0000001' };
  const money = { blockedAmount: { ...amount, value: '0.00' }, returnedAmount: amount };
  const accepted = { ...data, id: randomUUID(), status: 'ACCEPTED', ...payment, ...money, ...history, ...times };
  return { ...disputeNotification, event: 'DISPUTE.ACCEPTED', occurredAt: at, data: accepted };
}

/** The notification of the pay-in's refund, at the time of the check. */
function refunded({ order, at }: CheckInput): object {
  const refund = { refundId: randomUUID().replaceAll('-', ''), endToEndId: 'D00000000202601151201TEST0000001' };
  return { ...refundNotification, ...order, ...refund, paidAt: plusSeconds(at, -60), refundedAt: at, updatedAt: at };
}

/** The notification of the refund of a part: the pay-in is still `PAID`. */
function partRefunded(input: CheckInput): object {
  const amount = { currency: 'BRL', value: '10.00' };
  return { ...refunded(input), amount, refundedAmount: amount, orderStatus: 'PAID' };
}
