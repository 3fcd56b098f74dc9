import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { resourceFilters } from '#shared/platform/table/resource-list.ts';
import { readSubscriptionPage } from '#shared/subscriptions/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { subscriptionEventData } from '#shared/subscriptions/view.ts';
import { ListSubscriptions } from './contract.ts';

/** Returns one page of subscriptions, without images. @throws RequestError for a cursor of another listing */
export const listSubscriptions: Operation<typeof ListSubscriptions, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, resourceFilters);
  return pageResponse(await readSubscriptionPage(store, caller.companyId, filters, page), subscriptionEventData);
};

export const handler = endpoint(ListSubscriptions, listSubscriptions, realTimeDependencies);
