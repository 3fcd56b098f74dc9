import { randomBytes, randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { PayInNotification, RefundNotification } from '#shared/webhooks/notification.ts';
import { signatureHeaders } from '#shared/webhooks/signature.ts';

/** What a question is about: its pay-in, the receiver's secret, and the present. */
export type Subject = { readonly order: ExamOrder; readonly secret: string; readonly at: Instant };

/** One POST to the receiver. */
export type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Question = {
  readonly name: string;
  /** What the service does, or an attacker. */
  readonly situation: string;
  /** How each of the posts must be answered: with 2xx, or with 4xx. */
  readonly expected: 'taken' | 'refused';
  readonly posts: (subject: Subject) => readonly Post[];
  /** What to do about a wrong answer. */
  readonly cure: string;
  /** A receiver by the specification may answer otherwise: it is told of, and fails nothing. */
  readonly advice?: true;
};

const largeBytes = 64 * 1024;
const oldSeconds = 3600;

/** Signed as the service signs it, unless said. */
function post({ secret, at }: Subject, body: object | string, signing: Partial<Signing> = {}): Post {
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
const paidOf = ({ order, at }: Subject): ReturnType<typeof paid> => paid(order, at);

/** The first is the condition of all others: a receiver that refuses everything would pass half of them. */
export const questions: readonly [Question, ...Question[]] = [
  {
    name: 'in time',
    situation: 'a notification as the service sends it',
    expected: 'taken',
    posts: (subject) => [post(subject, paidOf(subject))],
    cure: 'Answer 2xx as soon as the notification is stored, and work afterwards. Is the secret the one that your receiver has?',
  },
  {
    name: 'exact bytes',
    situation: 'JSON with blanks, escapes and letters beyond ASCII',
    expected: 'taken',
    posts: (subject) => {
      const text = JSON.stringify(paidOf(subject), null, 1).replace('Conceição', 'Concei\\u00e7\\u00e3o');
      return [post(subject, `${text}\n`)];
    },
    cure: 'Verify the raw bytes of the request, before anything parses them: JSON that was written again has others.',
  },
  {
    name: 'tampered',
    situation: 'the amount was changed on the way',
    expected: 'refused',
    posts: (subject) => {
      const { headers, body } = post(subject, paidOf(subject));
      return [{ headers, body: body.replace('29.90', '99.90') }];
    },
    cure: 'Compute the HMAC of the body that came, and answer 401 unless it is the one in the header.',
  },
  {
    name: 'unsigned',
    situation: 'no header of a signature',
    expected: 'refused',
    posts: (subject) => [{ headers: {}, body: JSON.stringify(paidOf(subject)) }],
    cure: 'Answer 401 when the header is missing: anybody can send that.',
  },
  {
    name: 'wrong secret',
    situation: 'signed by somebody who does not know your secret',
    expected: 'refused',
    posts: (subject) => [post(subject, paidOf(subject), { secrets: { current: anotherSecret() } })],
    cure: 'Key the HMAC with your own secret, and compare the whole signature.',
  },
  {
    name: 'duplicate',
    situation: 'the same webhook-id three times',
    expected: 'taken',
    posts: (subject) => {
      const once = post(subject, paidOf(subject), { id: randomUUID() });
      return [once, once, once];
    },
    cure: 'Answer 2xx to what you have already: anything else is sent again.',
  },
  {
    name: 'rotation',
    situation: 'while a secret is being rotated, with the new one and with the old one',
    expected: 'taken',
    posts: (subject) => [
      post(subject, paidOf(subject), { secrets: { current: subject.secret, previous: anotherSecret() } }),
      post(subject, paidOf(subject), { secrets: { current: anotherSecret(), previous: subject.secret } }),
    ],
    cure: 'Accept any signature of webhook-signature, or X-Signature-SHA256-Previous beside X-Signature-SHA256.',
  },
  {
    name: 'unknown field',
    situation: 'a field that the documentation of today does not know',
    expected: 'taken',
    posts: (subject) => [post(subject, { ...paidOf(subject), addedLater: { of: 'the next version' } })],
    cure: 'Read the fields that you know and leave others alone: fields are added without notice.',
  },
  {
    name: 'large body',
    situation: `a body of ${largeBytes / 1024} KiB`,
    expected: 'taken',
    posts: (subject) => [post(subject, { ...paidOf(subject), description: 'x'.repeat(largeBytes) })],
    cure: 'Raise the limit of your web server or framework.',
  },
  {
    name: 'reordered',
    situation: 'the refund arrives before the payment',
    expected: 'taken',
    posts: (subject) => [post(subject, refunded(subject.order, subject.at)), post(subject, paidOf(subject))],
    cure: 'Take what comes late, and leave your records as they are when its updatedAt is older than theirs.',
  },
  {
    name: 'old',
    situation: 'recorded an hour ago and sent again',
    expected: 'refused',
    posts: (subject) => [post(subject, paidOf(subject), { signedAt: plusSeconds(subject.at, -oldSeconds) })],
    cure: 'X-Signature-SHA256 covers the body alone. Verify webhook-signature, which covers the time too, and refuse what is older than five minutes.',
    advice: true,
  },
];

/** The pay-in that an exam tells of: made up, or one that the partner knows. */
export type ExamOrder = { readonly id: string; readonly code: string };

/** An order that nobody has: well formed, so that it passes a receiver's own checks. */
export function madeUpOrder(): ExamOrder {
  return { id: `${randomUUID().slice(0, -2)}00`, code: `check-receiver-${randomUUID().slice(0, 8)}` };
}

/** The pay-in was paid a minute ago. */
export function paid({ id, code }: ExamOrder, at: Instant): z.output<typeof PayInNotification> {
  const paidAt = plusSeconds(at, -60);
  return {
    id,
    code,
    event: 'ORDER-PAYIN.PAID',
    status: 'PAID',
    paidAt,
    updatedAt: paidAt,
    endToEndId: 'E00000000202601151200EXAM0000001',
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
export function refunded({ id, code }: ExamOrder, at: Instant): z.output<typeof RefundNotification> {
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
    endToEndId: 'D00000000202601151201EXAM0000001',
    message: '',
  };
}
