import type { Operation } from '#shared/contract/contract.ts';
import { disputeFilters, listDisputesOf } from '#shared/disputes/list.ts';
import { disputeEntryView } from '#shared/disputes/view.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { ListDisputes } from './contract.ts';

/** Returns one page of disputes. @throws RequestError for a cursor of another listing */
export const listDisputes: Operation<typeof ListDisputes, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, disputeFilters);
  return pageResponse(await listDisputesOf(store, caller.companyId, filters, page), disputeEntryView);
};

export const handler = endpoint(ListDisputes, listDisputes, realTimeDependencies);
