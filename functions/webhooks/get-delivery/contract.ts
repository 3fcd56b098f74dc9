import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { DeliveryRecord } from '#shared/webhooks/contract.ts';
import { deliveredEntry } from '#shared/webhooks/examples.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';

export const GetDelivery = contract({
  operationId: 'getWebhookDelivery',
  method: 'GET',
  path: '/order/v1/webhook/deliveries/{id}',
  tag: 'Webhooks',
  summary: 'Get a delivery',
  description: 'With what was sent and every attempt.',
  params: { id: Uuid.meta({ description: 'The delivery.' }) },
  responses: { 200: DeliveryRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetDelivery> => ({
  request: { params: { id: exampleIds.deliveryId } },
  response: {
    status: 200,
    body: {
      ...deliveredEntry,
      payload: payInNotification,
      attempts: [
        {
          number: 1,
          at: deliveredEntry.lastAttemptAt,
          outcome: 'DELIVERED',
          httpStatus: 200,
          error: null,
          durationMs: 184,
          returnCode: 'SUCCESS',
        },
      ],
    },
  },
});
