import { randomBytes, randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { PayInNotification, RefundNotification } from '#shared/webhooks/notification.ts';
import { signatureHeaders } from '#shared/webhooks/dispatch/signature.ts';

/** A check's pay-in, the receiver's secret, and the present. */
export type CheckInput = { readonly order: TestOrder; readonly secret: string; readonly at: Instant };

/** One POST to the receiver. */
export type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Check = {
  readonly name: string;
  /** An act of the service, or of an attacker. */
  readonly situation: string;
  /** The response to each post: 2xx, or 4xx. */
  readonly expected: 'taken' | 'refused';
  readonly posts: (input: CheckInput) => readonly Post[];
  /** The remedy for a wrong response. */
  readonly cure: string;
  /** The specification allows another response: it is reported, and fails nothing. */
  readonly advice?: true;
};

const largeBytes = 64 * 1024;
const oldSeconds = 3600;

/** Signed as the service signs it, unless said. */
function post({ secret, at }: CheckInput, body: object | string, signing: Partial<Signing> = {}): Post {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { id = randomUUID(), signedAt = at, secrets = { current: secret } } = signing;
  return { headers: signatureHeaders({ id, at: signedAt, body: text, secrets }), body: text };
}
type Signing = {
  readonly id: string;
  readonly signedAt: Instant;
  readonly secrets: { readonly current: string; readonly previous?: string };
};

const anotherSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const paidOf = ({ order, at }: CheckInput): ReturnType<typeof paid> => paid(order, at);

/** The first decides about the others: a receiver that refuses everything would pass half of them. */
export const checks: readonly [Check, ...Check[]] = [
  {
    name: 'in time',
    situation: 'a notification as the service sends it',
    expected: 'taken',
    posts: (input) => [post(input, paidOf(input))],
    cure: 'Answer 2xx as soon as the notification is stored, and work afterwards. Is the secret the one that your receiver has?',
  },
  {
    name: 'exact bytes',
    situation: 'JSON with blanks, escapes and letters beyond ASCII',
    expected: 'taken',
    posts: (input) => {
      const text = JSON.stringify(paidOf(input), null, 1).replace('Conceição', 'Concei\\u00e7\\u00e3o');
      return [post(input, `${text}\n`)];
    },
    cure: 'Verify the raw bytes of the request, before anything parses them: JSON that was written again has others.',
  },
  {
    name: 'tampered',
    situation: 'the amount was changed on the way',
    expected: 'refused',
    posts: (input) => {
      const { headers, body } = post(input, paidOf(input));
      return [{ headers, body: body.replace('29.90', '99.90') }];
    },
    cure: 'Compute the HMAC of the body that came, and answer 401 unless it is the one in the header.',
  },
  {
    name: 'unsigned',
    situation: 'no header of a signature',
    expected: 'refused',
    posts: (input) => [{ headers: {}, body: JSON.stringify(paidOf(input)) }],
    cure: 'Answer 401 when the header is missing: anybody can send that.',
  },
  {
    name: 'wrong secret',
    situation: 'signed by somebody who does not know your secret',
    expected: 'refused',
    posts: (input) => [post(input, paidOf(input), { secrets: { current: anotherSecret() } })],
    cure: 'Key the HMAC with your own secret, and compare the whole signature.',
  },
  {
    name: 'duplicate',
    situation: 'the same webhook-id three times',
    expected: 'taken',
    posts: (input) => {
      const once = post(input, paidOf(input), { id: randomUUID() });
      return [once, once, once];
    },
    cure: 'Answer 2xx to what you have already: anything else is sent again.',
  },
  {
    name: 'rotation',
    situation: 'while a secret is being rotated, with the new one and with the old one',
    expected: 'taken',
    posts: (input) => [
      post(input, paidOf(input), { secrets: { current: input.secret, previous: anotherSecret() } }),
      post(input, paidOf(input), { secrets: { current: anotherSecret(), previous: input.secret } }),
    ],
    cure: 'Accept any signature of webhook-signature, or X-Signature-SHA256-Previous beside X-Signature-SHA256.',
  },
  {
    name: 'unknown field',
    situation: 'a field that the documentation of today does not know',
    expected: 'taken',
    posts: (input) => [post(input, { ...paidOf(input), addedLater: { of: 'the next version' } })],
    cure: 'Read the fields that you know and leave others alone: fields are added without notice.',
  },
  {
    name: 'large body',
    situation: `a body of ${largeBytes / 1024} KiB`,
    expected: 'taken',
    posts: (input) => [post(input, { ...paidOf(input), description: 'x'.repeat(largeBytes) })],
    cure: 'Raise the limit of your web server or framework.',
  },
  {
    name: 'reordered',
    situation: 'the refund arrives before the payment',
    expected: 'taken',
    posts: (input) => [post(input, refunded(input.order, input.at)), post(input, paidOf(input))],
    cure: 'Take what comes late, and leave your records as they are when its updatedAt is older than theirs.',
  },
  {
    name: 'old',
    situation: 'recorded an hour ago and sent again',
    expected: 'refused',
    posts: (input) => [post(input, paidOf(input), { signedAt: plusSeconds(input.at, -oldSeconds) })],
    cure: 'X-Signature-SHA256 covers the body alone. Verify webhook-signature, which covers the time too, and refuse what is older than five minutes.',
    advice: true,
  },
];

/** The pay-in of a check: a test order, or one that the partner knows. */
export type TestOrder = { readonly id: string; readonly code: string };

/** An order that exists nowhere; it is well formed, so that it passes a receiver's own checks. */
export function createTestOrder(): TestOrder {
  return { id: `${randomUUID().slice(0, -2)}00`, code: `check-receiver-${randomUUID().slice(0, 8)}` };
}

/** The pay-in was paid a minute ago. */
function paid({ id, code }: TestOrder, at: Instant): z.output<typeof PayInNotification> {
  const paidAt = plusSeconds(at, -60);
  return {
    id,
    code,
    event: 'ORDER-PAYIN.PAID',
    status: 'PAID',
    paidAt,
    updatedAt: paidAt,
    endToEndId: 'E00000000202601151200TEST0000001',
    controlNumber: null,
    type: 'PAY-IN',
    message: 'The pay-in was paid.',
    customerMessage: 'Pagamento confirmado.',
    description: 'Café da manhã',
    amount: { currency: 'BRL', value: '29.90' },
    payer: { name: 'Conceição Araújo', document: { type: 'CPF', number: '52998224725' } },
  };
}

/** And was refunded just now. */
function refunded({ id, code }: TestOrder, at: Instant): z.output<typeof RefundNotification> {
  return {
    id,
    code,
    event: 'ORDER-PAYIN.REFUNDED',
    status: 'REFUNDED',
    type: 'REFUND',
    refundId: randomUUID().replaceAll('-', ''),
    paidAt: plusSeconds(at, -60),
    refundedAt: at,
    updatedAt: at,
    endToEndId: 'D00000000202601151201TEST0000001',
    message: '',
  };
}
