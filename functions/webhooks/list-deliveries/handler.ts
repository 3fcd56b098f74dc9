import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { deliveryFilters, listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { readEndpoints } from '#shared/webhooks/health/operations.ts';
import { deliveryEntryView } from '#shared/webhooks/view.ts';
import { ListDeliveries } from './contract.ts';

/** Returns one page of the company's deliveries, newest first. @throws RequestError for a cursor of another listing */
export const listDeliveries: Operation<typeof ListDeliveries, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, deliveryFilters);
  const listed = await listDeliveriesOf(store, caller.companyId, filters, page);
  // The health of the endpoints explains why a delivery waits in a backlog; other deliveries do not need it.
  const isWaiting = listed.found.some(({ backlog }) => backlog !== undefined);
  const endpoints = isWaiting ? await readEndpoints(store, caller.companyId) : undefined;
  return pageResponse(listed, (delivery) => deliveryEntryView(delivery, endpoints));
};

export const handler = endpoint(ListDeliveries, listDeliveries, realTimeDependencies);
