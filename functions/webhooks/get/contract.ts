import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { WebhookSettingsRecord } from '#shared/webhooks/contract.ts';

export const GetWebhookSettings = contract({
  operationId: 'getWebhookSettings',
  method: 'GET',
  path: '/order/v1/webhook',
  tag: 'Webhooks',
  summary: 'Get the webhook settings',
  description: 'Every company has settings; `events` is empty until endpoints are set. The secret is never shown here.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: WebhookSettingsRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
