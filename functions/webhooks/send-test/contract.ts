import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { DeliveryRecord, WebhookTypeShape } from '#shared/webhooks/contract.ts';
import { pendingDelivery } from '#shared/webhooks/examples.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';

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
  body: { type: WebhookTypeShape },
  responses: { 201: DeliveryRecord },
  errors: ['TOO_MANY_REQUESTS'],
});

export const example = (): ExampleOf<typeof TestWebhook> => ({
  request: { body: { type: 'PAYIN' } },
  response: {
    status: 201,
    body: pendingDelivery({
      id: exampleIds.deliveryId,
      event: 'WEBHOOK.TEST',
      resource: { type: 'WEBHOOK_TEST', id: exampleIds.payInId },
      payload: { ...payInNotification, code: 'WEBHOOK-TEST', event: 'WEBHOOK.TEST' },
    }),
  },
});
