import type { Operation } from '#shared/contract/contract.ts';
import { defaultLimit } from '#shared/contract/page.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { accountView } from '#shared/accounts/view.ts';
import { ListAccounts } from './contract.ts';

/** One page of the company's accounts (4.7). @throws Refusal on a cursor that is not of this listing. */
export const listAccounts: Operation<typeof ListAccounts, Reading> = async ({ caller, query }, { store }) => {
  const { limit = defaultLimit, sort = 'desc', cursor, ...filters } = query;
  const page = await listAccountsOf(store, caller.companyId, filters, { ascending: sort === 'asc', limit, cursor });
  const { found, hasNext, nextCursor } = page;
  return { status: 200, body: { nextCursor, hasNext, data: found.map(accountView) } };
};

export const handler = endpoint(ListAccounts, listAccounts, realTimeDependencies);
