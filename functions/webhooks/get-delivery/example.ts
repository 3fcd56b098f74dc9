import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { payInNotification } from '#shared/webhooks/notification-examples.ts';
import { deliveredEntry } from '#shared/webhooks/examples.ts';
import type { GetDelivery } from './contract.ts';

export const example: ExampleOf<typeof GetDelivery> = {
  request: { params: { id: exampleIds.deliveryId } },
  answer: {
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
};
