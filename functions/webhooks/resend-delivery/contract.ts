import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { Uuid } from '#shared/contract/text.ts';
import { DeliveryRecord } from '#shared/webhooks/contract.ts';

export const ResendDelivery = contract({
  operationId: 'resendWebhookDelivery',
  method: 'POST',
  path: '/order/v1/webhook/deliveries/{id}/resend',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'Makes a new delivery of the same bytes, whatever became of the first one: with its own id, its own five attempts, and ' +
    'to the endpoint that its type has at the time of each attempt. At most 30 calls a minute of a company: 429 beyond that.',
  idempotencyKey: 'none',
  params: z.strictObject({ id: Uuid.meta({ description: 'The delivery.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 201: DeliveryRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'INTERNAL_ERROR'],
});
