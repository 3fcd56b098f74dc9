import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { resourceFilters } from '#shared/platform/table/resource-list.ts';
import { listPayoutsOf } from '#shared/payouts/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payoutView } from '#shared/payouts/view.ts';
import { ListPayouts } from './contract.ts';

/** Returns one page of the company's payouts. @throws RequestError for a cursor of another listing */
export const listPayouts: Operation<typeof ListPayouts, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, resourceFilters);
  return pageResponse(await listPayoutsOf(store, caller.companyId, filters, page), payoutView);
};

export const handler = endpoint(ListPayouts, listPayouts, realTimeDependencies);
