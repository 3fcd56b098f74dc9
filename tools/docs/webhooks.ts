import type * as z from 'zod';
import {
  Acknowledgement,
  ChargeCancellationNotification,
  CreditNotification,
  CreditReturnNotification,
  DisputeNotification,
  PayInNotification,
  PayoutNotification,
  RefundNotification,
  ScheduledPaymentNotification,
  SubscriptionNotification,
} from '#shared/webhooks/notification.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import {
  chargeCancellationNotification,
  creditNotification,
  creditReturnNotification,
  disputeNotification,
  payInNotification,
  payoutNotification,
  refundNotification,
  scheduledPaymentNotification,
  subscriptionNotification,
} from '#shared/webhooks/notification-examples.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import type { NotifiedEvent } from './guide/event-meanings.ts';
import type { JsonObject, Schemas } from './schemas.ts';

/** Each layout of a notification, by its name in the document. */
export type NotificationName =
  | 'payIn'
  | 'payInRefund'
  | 'payout'
  | 'credit'
  | 'creditReturn'
  | 'dispute'
  | 'subscription'
  | 'scheduledPayment'
  | 'scheduledPaymentCancellation';

type Layout = z.ZodObject<{ readonly event: z.ZodEnum<Readonly<Record<string, NotifiedEvent>>> }>;
type Documented = readonly [key: NotificationName, summary: string, layout: Layout, example: JsonObject];

/** Payloads by the endpoint's type in the settings: a type without a documented payload does not compile. */
export const toSettings: Readonly<Record<WebhookType, readonly Documented[]>> = {
  PAYIN: [['payIn', 'A pay-in moved', PayInNotification, payInNotification]],
  PAYIN_REFUND: [['payInRefund', 'A pay-in was refunded', RefundNotification, refundNotification]],
  PAYOUT: [['payout', 'A payout became final', PayoutNotification, payoutNotification]],
  CREDIT: [
    ['credit', 'Money came that no open charge expected', CreditNotification, creditNotification],
    ['creditReturn', 'A return of a credit ended', CreditReturnNotification, creditReturnNotification],
  ],
  DISPUTE: [['dispute', 'A payer claims a payment back, or the claim moved', DisputeNotification, disputeNotification]],
};

/** These go to the subscription's own address. */
export const toSubscription: readonly Documented[] = [
  ['subscription', 'A subscription moved', SubscriptionNotification, subscriptionNotification],
  ['scheduledPayment', 'A scheduled payment moved', ScheduledPaymentNotification, scheduledPaymentNotification],
  [
    'scheduledPaymentCancellation',
    'A scheduled payment was canceled, or its cancellation was asked for or refused',
    ChargeCancellationNotification,
    chargeCancellationNotification,
  ],
];

const exampleDigest = 'sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

const previous = 'X-Signature-SHA256-Previous';

/** Every attempt carries these; the previous signature only during a rotation. */
const headers: readonly (readonly [name: string, description: string, example: string])[] = [
  [
    'X-Signature-SHA256',
    '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the text of the current secret. Compare in constant time, before parsing.',
    exampleDigest,
  ],
  [
    'webhook-id',
    'The notification: the same on every attempt and on every resend. Book each id once.',
    exampleIds.deliveryId,
  ],
  ['webhook-timestamp', 'Epoch seconds of this attempt.', '1768478707'],
  [
    'webhook-signature',
    'By Standard Webhooks: `v1,` and a base64 HMAC-SHA256 of id, timestamp and body; during a rotation one for each secret.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
  [previous, 'As `X-Signature-SHA256`, with the secret before the last rotation, while both count.', exampleDigest],
];

/** The POSTs that partners receive (section 6). */
export function webhooksOf(schemas: Schemas): JsonObject {
  const settings = Object.entries(toSettings).flatMap(([type, all]) =>
    all.map((documented) =>
      postOf(`the endpoint that the webhook settings name for the type \`${type}\``, documented, schemas),
    ),
  );
  const own = toSubscription.map((documented) => postOf("the subscription's `webhookUrl`", documented, schemas));
  return Object.fromEntries([...settings, ...own]);
}

function postOf(target: string, [key, summary, layout, example]: Documented, schemas: Schemas): [string, JsonObject] {
  const post = {
    operationId: `notify${key.charAt(0).toUpperCase()}${key.slice(1)}`,
    tags: ['Notifications'],
    summary,
    description: `Goes to ${target}. Any 2xx acknowledges; anything else is retried, ${maxCountedFailures} attempts in all, always with the same bytes.`,
    security: [],
    parameters: headers.map(([name, description, value]) => ({
      name,
      in: 'header',
      required: name !== previous,
      description,
      schema: { type: 'string' },
      example: value,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.refer(layout, 'output', key), example } },
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
  return [key, { post }];
}
