import type { Operation } from '#shared/contract/contract.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { accountFilters, listAccountsOf } from '#shared/accounts/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { accountView } from '#shared/accounts/view.ts';
import { ListAccounts } from './contract.ts';

/** Returns one page of the company's accounts (4.7). @throws RequestError for a cursor of another listing */
export const listAccounts: Operation<typeof ListAccounts, Reading> = async ({ caller, query }, { store }) => {
  const { page, filters } = pageRequest(query, accountFilters);
  return pageResponse(await listAccountsOf(store, caller.companyId, filters, page), accountView);
};

export const handler = endpoint(ListAccounts, listAccounts, realTimeDependencies);
