import type * as z from 'zod';
import {
  Acknowledgement,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  SubscriptionNotification,
} from '../../shared/contracts/notification.ts';
import type { JsonObject, Schemas } from './schemas.ts';

type Notified = {
  readonly schema: z.ZodType;
  readonly name: string;
  readonly summary: string;
  readonly target: string;
};

const SETTINGS = 'the endpoint that the webhook settings name for the type';
const NOTIFIED: Readonly<Record<string, Notified>> = {
  payIn: {
    schema: PayInNotification,
    name: 'PayInNotification',
    summary: 'A pay-in moved',
    target: `${SETTINGS} \`PAYIN\``,
  },
  payInRefund: {
    schema: RefundNotification,
    name: 'RefundNotification',
    summary: 'A pay-in was refunded',
    target: `${SETTINGS} \`PAYIN_REFUND\``,
  },
  payout: {
    schema: PayoutNotification,
    name: 'PayoutNotification',
    summary: 'A payout became final',
    target: `${SETTINGS} \`PAYOUT\``,
  },
  subscription: {
    schema: SubscriptionNotification,
    name: 'SubscriptionNotification',
    summary: 'A subscription moved',
    target: "the subscription's `webhookUrl`",
  },
};

const HEADERS: Readonly<Record<string, string>> = {
  'X-Signature-SHA256':
    '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the text of the current secret. Compare in constant time, before parsing.',
  'webhook-id': 'The delivery: the same on every attempt, so that a receiver can recognise a repetition.',
  'webhook-timestamp': 'Epoch seconds of this attempt.',
  'webhook-signature':
    'By Standard Webhooks: `v1,` and a base64 HMAC-SHA256 of id, timestamp and body; during a rotation one for each secret.',
};

/** The POSTs that partners receive (section 6). */
export function webhooksOf(schemas: Schemas): JsonObject {
  return Object.fromEntries(
    Object.entries(NOTIFIED).map(([key, notified]) => [key, { post: postOf(notified, key, schemas) }]),
  );
}

function postOf({ schema, name, summary, target }: Notified, key: string, schemas: Schemas): JsonObject {
  const signed = Object.entries(HEADERS).map(([header, description]) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  const previous = {
    name: 'X-Signature-SHA256-Previous',
    in: 'header',
    required: false,
    description: 'As `X-Signature-SHA256`, with the secret before the last rotation, while both count.',
    schema: { type: 'string' },
  };
  return {
    operationId: `notify${key.charAt(0).toUpperCase()}${key.slice(1)}`,
    tags: ['Notifications'],
    summary,
    description: `Goes to ${target}. Any 2xx acknowledges; anything else is retried, five attempts in all, always with the same bytes.`,
    security: [],
    parameters: [...signed, previous],
    requestBody: { required: true, content: { 'application/json': { schema: schemas.refer(schema, 'output', name) } } },
    responses: {
      '200': {
        description: 'Acknowledged.',
        content: { 'application/json': { schema: schemas.refer(Acknowledgement, 'input', 'Acknowledgement') } },
      },
      '4XX': { description: 'For a signature that does not match, for example. Retried.' },
    },
  };
}
