import * as z from 'zod';
import { contract } from '#shared/contract/contract.ts';
import { SubscriptionRecord } from '#shared/subscriptions/contract.ts';
import { Uuid } from '#shared/contract/text.ts';

export const GetSubscription = contract({
  operationId: 'getSubscription',
  method: 'GET',
  path: '/order/v1/banking/subscriptions/{id}',
  tag: 'Subscriptions',
  summary: 'Get a subscription',
  description: 'As it is now, with its code, every status that it had and all requests to cancel it.',
  idempotencyKey: 'none',
  params: z.strictObject({ id: Uuid.meta({ description: 'The subscription.' }) }),
  query: z.strictObject({}),
  body: z.strictObject({}),
  answers: { 200: SubscriptionRecord },
  errors: ['INVALID_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN_ERROR', 'NOT_FOUND', 'INTERNAL_ERROR'],
});
