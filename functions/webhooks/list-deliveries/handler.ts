import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { deliveryFilters, listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { readEndpoints } from '#shared/webhooks/health/operations.ts';
import { deliveryEntryView } from '#shared/webhooks/view.ts';
import { ListDeliveries } from './contract.ts';

/** One page of the company's deliveries, newest first. @throws RequestError on a cursor that is not of this listing. */
export const listDeliveries: Operation<typeof ListDeliveries, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, deliveryFilters);
  const listed = await listDeliveriesOf(store, caller.companyId, filters, page);
  // Only what waits needs to know why.
  const isWaiting = listed.found.some(({ backlog }) => backlog !== undefined);
  const endpoints = isWaiting ? await readEndpoints(store, caller.companyId) : undefined;
  return pageResponse(listed, (delivery) => deliveryEntryView(delivery, endpoints));
};

export const handler = endpoint(ListDeliveries, listDeliveries, realTimeDependencies);
