import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleImage } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { SubscriptionRecord } from '#shared/subscriptions/contract.ts';
import { acceptedSubscription } from '#shared/subscriptions/examples.ts';

export const GetSubscription = contract({
  operationId: 'getSubscription',
  method: 'GET',
  path: '/order/v1/banking/subscriptions/{id}',
  tag: 'Subscriptions',
  summary: 'Get a subscription',
  description: 'As it is now, with its code, every status that it had and all requests to cancel it.',
  params: { id: Uuid.meta({ description: 'The subscription.' }) },
  responses: { 200: SubscriptionRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof GetSubscription> => ({
  request: { params: { id: exampleIds.subscriptionId } },
  response: {
    status: 200,
    body: {
      ...acceptedSubscription,
      qrcodeDetail: { imageBase64: exampleImage, ...acceptedSubscription.qrcodeDetail },
    },
  },
});
