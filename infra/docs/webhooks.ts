import type * as z from 'zod';
import {
  Acknowledgement,
  ChargeCancellationNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import {
  chargeCancellationNotification,
  payInNotification,
  payoutNotification,
  refundNotification,
  scheduledPaymentNotification,
  subscriptionNotification,
} from '#shared/webhooks/notification-examples.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import type { JsonObject, Schemas } from './schemas.ts';

type NotificationDocument = {
  readonly schema: z.ZodType;
  readonly name: string;
  readonly summary: string;
  readonly target: string;
  readonly example: JsonObject;
};

/** By the type of the settings' endpoint that it goes to: a type without a documented payload does not compile. */
const toSettings: Readonly<Record<WebhookType, Omit<NotificationDocument, 'target'> & { readonly key: string }>> = {
  PAYIN: {
    key: 'payIn',
    schema: PayInNotification,
    name: 'PayInNotification',
    summary: 'A pay-in moved',
    example: payInNotification,
  },
  PAYIN_REFUND: {
    key: 'payInRefund',
    schema: RefundNotification,
    name: 'RefundNotification',
    summary: 'A pay-in was refunded',
    example: refundNotification,
  },
  PAYOUT: {
    key: 'payout',
    schema: PayoutNotification,
    name: 'PayoutNotification',
    summary: 'A payout became final',
    example: payoutNotification,
  },
};

const notifications: Readonly<Record<string, NotificationDocument>> = {
  ...Object.fromEntries(
    Object.entries(toSettings).map(([type, { key, ...documented }]) => {
      const target = `the endpoint that the webhook settings name for the type \`${type}\``;
      return [key, { ...documented, target }];
    }),
  ),
  subscription: {
    schema: SubscriptionNotification,
    name: 'SubscriptionNotification',
    summary: 'A subscription moved',
    example: subscriptionNotification,
    target: "the subscription's `webhookUrl`",
  },
  scheduledPayment: {
    schema: ScheduledPaymentNotification,
    name: 'ScheduledPaymentNotification',
    summary: 'A scheduled payment moved',
    example: scheduledPaymentNotification,
    target: "the subscription's `webhookUrl`",
  },
  scheduledPaymentCancellation: {
    schema: ChargeCancellationNotification,
    name: 'ScheduledPaymentCancellationNotification',
    summary: 'A scheduled payment was canceled, or its cancellation was asked for or refused',
    example: chargeCancellationNotification,
    target: "the subscription's `webhookUrl`",
  },
};

const exampleDigest = 'sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

/** What each says, and how it looks. */
const headers: Readonly<Record<string, readonly [description: string, example: string]>> = {
  'X-Signature-SHA256': [
    '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the text of the current secret. Compare in constant time, before parsing.',
    exampleDigest,
  ],
  'webhook-id': [
    'The delivery: the same on every attempt, so that a receiver can recognise a repetition.',
    exampleIds.deliveryId,
  ],
  'webhook-timestamp': ['Epoch seconds of this attempt.', '1768478707'],
  'webhook-signature': [
    'By Standard Webhooks: `v1,` and a base64 HMAC-SHA256 of id, timestamp and body; during a rotation one for each secret.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
};

/** The POSTs that partners receive (section 6). */
export function webhooksOf(schemas: Schemas): JsonObject {
  return Object.fromEntries(
    Object.entries(notifications).map(([key, documented]) => [key, { post: postOf(documented, key, schemas) }]),
  );
}

function postOf(documented: NotificationDocument, key: string, schemas: Schemas): JsonObject {
  const { schema, name, summary, target, example } = documented;
  const signed = Object.entries(headers).map(([header, [description, example]]) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }));
  const previous = {
    name: 'X-Signature-SHA256-Previous',
    in: 'header',
    required: false,
    description: 'As `X-Signature-SHA256`, with the secret before the last rotation, while both count.',
    schema: { type: 'string' },
    example: exampleDigest,
  };
  return {
    operationId: `notify${key.charAt(0).toUpperCase()}${key.slice(1)}`,
    tags: ['Notifications'],
    summary,
    description: `Goes to ${target}. Any 2xx acknowledges; anything else is retried, five attempts in all, always with the same bytes.`,
    security: [],
    parameters: [...signed, previous],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.refer(schema, 'output', name), example } },
    },
    responses: {
      '200': {
        description: 'Acknowledged.',
        content: {
          'application/json': {
            schema: schemas.refer(Acknowledgement, 'input', 'Acknowledgement'),
            example: { returnCode: 'SUCCESS' },
          },
        },
      },
      '4XX': { description: 'For a signature that does not match, for example. Retried.' },
    },
  };
}
