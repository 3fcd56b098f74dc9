import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';
import { pendingDelivery } from '#shared/webhooks/examples.ts';
import type { TestWebhook } from './contract.ts';

export const example: ExampleOf<typeof TestWebhook> = {
  request: { body: { type: 'PAYIN' } },
  answer: {
    status: 201,
    body: pendingDelivery({
      id: exampleIds.deliveryId,
      event: 'WEBHOOK.TEST',
      resource: { type: 'WEBHOOK_TEST', id: exampleIds.payInId },
      payload: { ...payInNotification, code: 'WEBHOOK-TEST', event: 'WEBHOOK.TEST' },
    }),
  },
};
