import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';
import { deliveredEntry, pendingDelivery } from '#shared/webhooks/examples.ts';
import type { ResendDelivery } from './contract.ts';

export const example: ExampleOf<typeof ResendDelivery> = {
  request: { params: { id: exampleIds.deliveryId } },
  answer: {
    status: 201,
    body: pendingDelivery({
      id: '70615243-3425-4160-8f9e-adbccbdae9f8',
      event: deliveredEntry.event,
      resource: deliveredEntry.resource,
      payload: payInNotification,
    }),
  },
};
