import * as z from 'zod';
import { contract } from '../../../shared/contracts/contract.ts';
import { DeliveryRecord, WebhookTypeShape } from '../../../shared/contracts/webhook.ts';

export const TestWebhook = contract({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/order/v1/webhook/test',
  tag: 'Webhooks',
  summary: 'Send a test notification',
  description:
    'Sends a notification in the layout of the type to its active endpoint, signed and retried like any other. Its `event` ' +
    'is `WEBHOOK.TEST` and its `code` is `WEBHOOK-TEST`: nothing was paid. 409 when the type has no active endpoint.',
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.strictObject({ type: WebhookTypeShape }),
  answers: { 201: DeliveryRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
