import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { resourceFilters } from '#shared/platform/table/resource-list.ts';
import { listPayInsOf } from '#shared/pay-ins/store.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { payInEntryView } from '#shared/pay-ins/view.ts';
import { ListPayIns } from './contract.ts';

/** Returns one page of pay-ins, without images. @throws RequestError for a cursor of another listing */
export const listPayIns: Operation<typeof ListPayIns, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, resourceFilters);
  return pageResponse(await listPayInsOf(store, caller.companyId, filters, page), payInEntryView);
};

export const handler = endpoint(ListPayIns, listPayIns, realTimeDependencies);
