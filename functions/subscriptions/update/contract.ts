import type { AddDetail, ExampleOf, LooseFields, RuleContext } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { exampleIds, exampleImage } from '#shared/contract/examples.ts';
import { Uuid } from '#shared/contract/text.ts';
import { SubscriptionRecord } from '#shared/subscriptions/contract.ts';
import { acceptedSubscription } from '#shared/subscriptions/examples.ts';
import { requireCallable, SubscriptionUrl } from '#shared/webhooks/url.ts';

const moved = 'https://partner.example.com/recurrences';

/** Rejects a webhook address that this environment may not call. */
function contextRules({ webhookUrl }: LooseFields, context: RuleContext, add: AddDetail): void {
  requireCallable('webhookUrl', webhookUrl, context, add);
}

export const UpdateSubscription = contract({
  operationId: 'updateSubscription',
  method: 'PATCH',
  path: '/order/v1/banking/subscriptions/{id}',
  tag: 'Subscriptions',
  summary: 'Give a subscription another webhook address',
  description:
    'In any status. Whatever the subscription and its payments have still to notify goes there, also what failed at the former address and waits for its next attempt, or for that address to answer again. A notification whose call is under way ends at the former one.',
  onceBy: 'STATE',
  params: { id: Uuid.meta({ description: 'The subscription.' }) },
  body: { webhookUrl: SubscriptionUrl },
  contextRules,
  responses: { 200: SubscriptionRecord },
  errors: ['NOT_FOUND'],
});

export const example = (): ExampleOf<typeof UpdateSubscription> => ({
  request: { params: { id: exampleIds.subscriptionId }, body: { webhookUrl: moved } },
  response: {
    status: 200,
    body: {
      ...acceptedSubscription,
      qrcodeDetail: { imageBase64: exampleImage, ...acceptedSubscription.qrcodeDetail },
      webhookUrl: moved,
    },
  },
});
