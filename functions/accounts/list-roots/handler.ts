import type { Operation } from '#shared/contract/contract.ts';
import { listRootsOf, rootFilters, rootView } from '#shared/accounts/roots/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { ListStatementRoots } from './contract.ts';

/** Returns one page of signed roots. @throws RequestError for a cursor of another listing */
export const listRoots: Operation<typeof ListStatementRoots, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, rootFilters);
  return pageResponse(await listRootsOf(store, caller.companyId, filters, page), rootView);
};

export const handler = endpoint(ListStatementRoots, listRoots, realTimeDependencies);
