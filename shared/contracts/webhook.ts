import * as z from 'zod';
import { attemptErrors, attemptOutcomes, deliveryStatuses } from '../domain/delivery.ts';
import { webhookTypes } from '../domain/notification.ts';
import { endpointStatuses } from '../domain/webhook-settings.ts';
import { Id, Timestamp } from './text.ts';
import { WebhookUrl } from './webhook-url.ts';

export const WebhookTypeShape = z.enum(webhookTypes);
export const EndpointStatusShape = z.enum(endpointStatuses);

/** Webhook settings (2.11). The secret is never part of them. */
export const WebhookSettingsRecord = z.strictObject({
  id: Id,
  companyId: z.string(),
  organizationId: z.string(),
  status: EndpointStatusShape,
  events: z.array(
    z.strictObject({
      type: WebhookTypeShape,
      endpoint: WebhookUrl,
      status: EndpointStatusShape,
      createdAt: Timestamp,
      updatedAt: Timestamp,
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const listEntry = {
  id: Id.meta({ description: 'The `webhook-id` of every attempt.' }),
  event: z.string().meta({ examples: ['ORDER-PAYIN.PAID'] }),
  status: z.enum(deliveryStatuses),
  endpoint: z.string().nullable().meta({ description: 'Where the last attempt went; `null` before the first one.' }),
  attemptsCount: z.int(),
  createdAt: Timestamp,
  lastAttemptAt: Timestamp.nullable(),
  nextAttemptAt: Timestamp.nullable(),
};

/** A delivery as a listing shows it. */
export const DeliveryEntry = z.strictObject(listEntry);

/** A delivery with its bytes, parsed, and its attempts, oldest first. */
export const DeliveryRecord = z.strictObject({
  ...listEntry,
  payload: z.looseObject({}),
  attempts: z.array(
    z.strictObject({
      number: z.int(),
      at: Timestamp,
      outcome: z.enum(attemptOutcomes).meta({
        description: 'UNKNOWN: the service could not record how the call ended. Two of them are not counted.',
      }),
      httpStatus: z.int().nullable(),
      error: z.enum(attemptErrors).nullable(),
      durationMs: z.int().nullable(),
      returnCode: z.string().nullable(),
    }),
  ),
});
