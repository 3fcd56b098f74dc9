import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { DeliveryRecord, WebhookTypeShape } from '#shared/webhooks/contract.ts';

export const TestWebhook = contract({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/order/v1/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a test notification',
  description:
    'Sends a notification in the layout of the type to its active endpoint, signed and retried like any other. Its `event` ' +
    'is `WEBHOOK.TEST` and its `code` is `WEBHOOK-TEST`: nothing was paid. 409 when the type has no active endpoint. ' +
    'At most 30 calls a minute of a company: 429 beyond that.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({ type: WebhookTypeShape }),
  answers: { 201: DeliveryRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'TOO_MANY_REQUESTS', 'INTERNAL_ERROR'],
});
