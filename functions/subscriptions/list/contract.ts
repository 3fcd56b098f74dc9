import type { ExampleOf } from '#shared/contract/contract.ts';
import { contract } from '#shared/contract/contract.ts';
import { pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { SubscriptionEventData } from '#shared/subscriptions/contract.ts';
import { acceptedSubscription } from '#shared/subscriptions/examples.ts';
import { subscriptionStatuses } from '#shared/subscriptions/model.ts';

export const ListSubscriptions = contract({
  operationId: 'listSubscriptions',
  method: 'GET',
  path: '/order/v1/banking/subscriptions',
  tag: 'Subscriptions',
  summary: 'List subscriptions',
  description:
    'Newest first unless `sort` says otherwise; the records without images. A request with `accountId` reads a bounded number of ' +
    'subscriptions: its page may be short, even empty, with `hasNext` true and a cursor to go on.',
  query: { ...recordFilters(subscriptionStatuses), ...pagedBy('creation') },
  responses: { 200: pageOf(SubscriptionEventData) },
});

export const example = (): ExampleOf<typeof ListSubscriptions> => ({
  request: { query: { status: 'ACCEPTED', limit: '20' } },
  response: { status: 200, body: { nextCursor: null, hasNext: false, data: [acceptedSubscription] } },
});
