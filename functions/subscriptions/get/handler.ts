import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { readSubscription } from '#shared/subscriptions/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { subscriptionView } from '#shared/subscriptions/view.ts';
import { GetSubscription } from './contract.ts';

/** Returns a subscription with its cancellation requests (2.4, 4.2). @throws RequestError 404 */
export const getSubscription: Operation<typeof GetSubscription, Reading> = async ({ caller, params }, { store }) => {
  const found = await readSubscription(store, caller.companyId, params.id, 'ALL');
  if (found === undefined) throw notFound('Subscription');
  return { status: 200, body: subscriptionView(found) };
};

export const handler = endpoint(GetSubscription, getSubscription, realTimeDependencies);
