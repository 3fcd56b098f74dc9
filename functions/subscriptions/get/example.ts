import type { ExampleOf } from '#shared/contract/example.ts';
import { exampleIds } from '#shared/contract/examples/ids.ts';
import { exampleImage } from '#shared/contract/examples/qr-code.ts';
import { acceptedSubscription } from '#shared/subscriptions/examples.ts';
import type { GetSubscription } from './contract.ts';

export const example: ExampleOf<typeof GetSubscription> = {
  request: { params: { id: exampleIds.subscriptionId } },
  answer: {
    status: 200,
    body: {
      ...acceptedSubscription,
      qrcodeDetail: { imageBase64: exampleImage, ...acceptedSubscription.qrcodeDetail },
    },
  },
};
