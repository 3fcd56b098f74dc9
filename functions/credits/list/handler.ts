import type { Operation } from '#shared/contract/contract.ts';
import { creditFilters, listCreditsOf } from '#shared/credits/list.ts';
import { creditEntryView } from '#shared/credits/view.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { ListCredits } from './contract.ts';

/** Returns one page of credits. @throws RequestError for a cursor of another listing */
export const listCredits: Operation<typeof ListCredits, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, creditFilters);
  return pageResponse(await listCreditsOf(store, caller.companyId, filters, page), creditEntryView);
};

export const handler = endpoint(ListCredits, listCredits, realTimeDependencies);
