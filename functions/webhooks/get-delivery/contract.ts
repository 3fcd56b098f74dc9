import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { Uuid } from '#shared/contract/text.ts';
import { DeliveryRecord } from '#shared/webhooks/contract.ts';

export const GetDelivery = contract({
  operationId: 'getWebhookDelivery',
  method: 'GET',
  path: '/order/v1/webhook/deliveries/{id}',
  tag: 'Webhooks',
  summary: 'Get a delivery',
  description: 'With what was sent and every attempt.',
  idempotencyKey: 'none',
  params: z.strictObject({ id: Uuid.meta({ description: 'The delivery.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: DeliveryRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
