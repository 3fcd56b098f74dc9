import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import { DeliveryRecord } from '#shared/webhooks/contract.ts';
import { deliveredEntry, pendingDelivery } from '#shared/webhooks/examples.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';

export const ResendDelivery = contract({
  operationId: 'resendWebhookDelivery',
  method: 'POST',
  path: '/order/v1/webhook/deliveries/{id}/resend',
  tag: 'Webhooks',
  summary: 'Send a delivery again',
  description:
    'Makes a new delivery of the same bytes under the same `webhook-id`, whatever became of the first one: with its own ' +
    `${maxCountedFailures} attempts, and to the endpoint that its type has at the time of each attempt. At most 30 ` +
    'calls a minute of a company: 429 beyond that.',
  params: { id: Uuid.meta({ description: 'The delivery.' }) },
  responses: { 201: DeliveryRecord },
  errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
});

export const example = (): ExampleOf<typeof ResendDelivery> => ({
  request: { params: { id: exampleIds.deliveryId } },
  response: {
    status: 201,
    body: pendingDelivery({
      id: '70615243-3425-4160-8f9e-adbccbdae9f8',
      event: deliveredEntry.event,
      resource: deliveredEntry.resource,
      resendOf: deliveredEntry.id,
      payload: payInNotification,
    }),
  },
});
