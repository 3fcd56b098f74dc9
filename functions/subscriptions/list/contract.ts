import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { pagedBy, pageOf, recordFilters } from '#shared/contract/page.ts';
import { SubscriptionEventData } from '#shared/subscriptions/contract.ts';
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
  idempotencyKey: 'none',
  params: z.strictObject({}),
  query: z.strictObject({
    ...recordFilters(subscriptionStatuses),
    ...pagedBy('creation'),
  }),
  body: z.strictObject({}),
  answers: { 200: pageOf(SubscriptionEventData) },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'INTERNAL_ERROR'],
});
