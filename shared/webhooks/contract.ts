import * as z from 'zod';
import {
  attemptErrors,
  attemptOutcomes,
  deliveryStatuses,
  maxCountedFailures,
  pausedReasons,
  resourceTypes,
  webhookTypes,
} from '../platform/outbox/delivery.ts';
import { circuitStates } from './health/circuit.ts';
import { endpointStatuses } from './settings.ts';
import { ClientOf } from '../contract/references.ts';
import { Id, Timestamp } from '../contract/text.ts';
import { WebhookUrl } from './url.ts';

export const WebhookTypeShape = z.enum(webhookTypes).meta({
  description:
    '`PAYIN`: paid, expired, canceled, failed. `PAYIN_REFUND`: refunded, or the refund failed. `PAYOUT`: paid, canceled, failed. `CREDIT`: money that no open charge expected, and its returns.',
});
export const EndpointStatusShape = z.enum(endpointStatuses).meta({
  description: '`INACTIVE`: nothing is sent there; what comes up is held.',
});

export const EndpointInput = z
  .strictObject({
    type: WebhookTypeShape,
    endpoint: WebhookUrl,
    status: EndpointStatusShape.optional().meta({ default: 'ACTIVE' }),
  })
  .meta({ description: 'Where the notifications of a type are to go.' });

export const EndpointRecord = z
  .strictObject({
    type: WebhookTypeShape,
    endpoint: WebhookUrl,
    status: EndpointStatusShape,
    failingSince: Timestamp.optional().meta({
      description:
        'Present while the endpoint fails: the first of its failures in a row. Notifications that begin meanwhile wait, ' +
        'and one at a time is sent to see whether it answers again.',
    }),
    createdAt: Timestamp.meta({ description: 'Since when the type has an endpoint.' }),
    updatedAt: Timestamp.meta({ description: 'Last change of the endpoint.' }),
  })
  .meta({ description: 'Where the notifications of a type go.' });

/** The health of an endpoint that is not healthy, or for which notifications wait. */
export const EndpointHealthRecord = z
  .strictObject({
    endpoint: WebhookUrl.meta({
      description: 'The address; where nothing can be connected to, scheme, host and port.',
    }),
    state: z.enum(circuitStates).meta({
      description:
        '`CLOSED`: its circuit lets all through; with `failingSince` it took nothing for an hour all the same. `BUSY`: answers, but slowly, or gets more than it takes. `OPEN`: fails; probes alone are sent. ' +
        '`HALF_OPEN`: answers again; what waits leaves ever faster. `HELD`: given up after days, or by an operator.',
    }),
    failingSince: Timestamp.optional().meta({ description: 'The first of its failures in a row.' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'How its last failed call ended.', examples: ['HTTP 503'] }),
    waiting: z.int().meta({ description: 'Notifications that wait for it, at most 1000.', examples: [12] }),
    waitingExact: z.boolean().meta({ description: 'False: more than that wait.', examples: [true] }),
    perMinute: z
      .int()
      .optional()
      .meta({ description: 'How many left in the last minute, while they leave.', examples: [300] }),
    expectedEmptyAt: Timestamp.optional().meta({ description: 'When all will have left at that rate.' }),
  })
  .meta({ description: 'How an endpoint takes its notifications.' });

/** Webhook settings (2.11). The secret is never part of them. */
export const WebhookSettingsRecord = z
  .strictObject({
    id: Id.meta({ description: 'The settings.' }),
    companyId: z.string().meta({ description: 'Your company.', examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] }),
    organizationId: z.string().meta({
      description: 'The organization that your company belongs to.',
      examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    }),
    status: EndpointStatusShape.meta({
      description: '`INACTIVE` while the operator of the service holds all notifications.',
    }),
    events: z.array(EndpointRecord).meta({ description: 'One endpoint a type; empty until endpoints are set.' }),
    createdAt: Timestamp,
    updatedAt: Timestamp.meta({ description: 'Last change of the settings.' }),
    updatedBy: ClientOf.optional(),
  })
  .meta({ description: 'Where notifications go. The secret is never part of it.' });

export const DeliveryResource = z
  .strictObject({
    type: z.enum(resourceTypes).meta({
      description: 'What the notification tells of. That of a refund is its pay-in; `WEBHOOK_TEST` is no resource.',
    }),
    id: Id.meta({ description: 'The `id` by which it is read.' }),
  })
  .meta({ description: 'What the notification is about.' });

const listEntry = {
  id: Id.meta({ description: 'The delivery.' }),
  webhookId: Id.meta({
    description:
      'The notification: the `webhook-id` of every attempt, of the first delivery and of every resend. Take it once.',
  }),
  event: z.string().meta({ description: 'What happened, as the payload says it.', examples: ['ORDER-PAYIN.PAID'] }),
  status: z.enum(deliveryStatuses).meta({
    description:
      `\`PENDING\`: will be tried. \`DELIVERED\`: acknowledged. \`FAILED\`: ${maxCountedFailures} attempts failed. ` +
      '`HELD`: waits for an active endpoint.',
  }),
  resource: DeliveryResource,
  endpoint: z
    .string()
    .nullable()
    .meta({
      description: 'Where the last attempt went; `null` before the first one.',
      examples: ['https://partner.example.com/webhooks'],
    }),
  attemptsCount: z.int().meta({ description: 'Attempts so far that count.', examples: [1] }),
  createdAt: Timestamp,
  lastAttemptAt: Timestamp.nullable().meta({ description: '`null` before the first one.' }),
  nextAttemptAt: Timestamp.nullable().meta({
    description: '`null` while an attempt is under way, and when none follows.',
  }),
  pausedReason: z
    .enum(pausedReasons)
    .optional()
    .meta({
      description:
        'Why a delivery waits that has an endpoint, also one that was `HELD` without: the endpoint fails ' +
        '(`ENDPOINT_FAILING`), or has as many calls as it may have (`ENDPOINT_BUSY`). Nothing is counted against it.',
    }),
  resendOf: Id.optional().meta({ description: 'Of a resend: the first delivery of the notification.' }),
  resentAs: Id.optional().meta({ description: 'Of a first delivery that was sent again: the latest resend.' }),
};

/** A request to send again whatever was not delivered, and how far it has come. */
export const ResendRecord = z
  .strictObject({
    id: Id.meta({ description: 'The resend: name it to see how far it has come.' }),
    status: z.enum(['RUNNING', 'COMPLETED']).meta({ description: 'Whether it still goes on.' }),
    createdFrom: Timestamp.meta({ description: 'Deliveries from this moment on, and before `createdAt`.' }),
    sentCount: z.int().meta({ description: 'Deliveries that were sent again so far.', examples: [12] }),
    heldCount: z.int().meta({
      description: 'Deliveries that stay `HELD`, because their type has no active endpoint, or their endpoint is held.',
      examples: [0],
    }),
    createdAt: Timestamp.meta({ description: 'When it was asked for; what comes up later is not part of it.' }),
    createdBy: ClientOf.optional(),
    completedAt: Timestamp.nullable().meta({ description: '`null` while it goes on.' }),
  })
  .meta({ description: 'A request to send again whatever was not delivered.' });

/** A delivery as a listing shows it. */
export const DeliveryEntry = z.strictObject(listEntry).meta({ description: 'A notification on its way.' });

export const DeliveryAttempt = z
  .strictObject({
    number: z.int().meta({ description: 'Its place, from 1.', examples: [1] }),
    at: Timestamp.meta({ description: 'When the call began.' }),
    outcome: z.enum(attemptOutcomes).meta({
      description: 'UNKNOWN: the service could not record how the call ended. Two of them are not counted.',
    }),
    httpStatus: z
      .int()
      .nullable()
      .meta({ description: 'What your endpoint answered; `null` without an answer.', examples: [200] }),
    error: z.enum(attemptErrors).nullable().meta({ description: 'Why it failed; `STATUS`: the answer was not 2xx.' }),
    durationMs: z
      .int()
      .nullable()
      .meta({ description: 'How long the call took, milliseconds.', examples: [184] }),
    returnCode: z
      .string()
      .nullable()
      .meta({ description: '`returnCode` of your answer, if it had one.', examples: ['SUCCESS'] }),
  })
  .meta({ description: 'One call of your endpoint.' });

/** A delivery with its bytes, parsed, and its attempts, oldest first. */
export const DeliveryRecord = z
  .strictObject({
    ...listEntry,
    payload: z.looseObject({}).meta({ description: 'The body that is sent, the same bytes at every attempt.' }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'Every call of your endpoint, oldest first.' }),
  })
  .meta({ description: 'A notification with its bytes and its attempts.' });
