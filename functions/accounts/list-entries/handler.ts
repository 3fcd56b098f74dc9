import type { Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { readShardCount } from '#shared/platform/ledger/shards.ts';
import { entryFilters, listEntriesOf } from '#shared/accounts/list.ts';
import type { Reading } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { ledgerEntryView } from '#shared/accounts/view.ts';
import { ListEntries } from './contract.ts';

/**
 * Returns one page of a statement, from all shards of the account's balance.
 * @throws RequestError 404; for a cursor of another listing
 */
export const listEntries: Operation<typeof ListEntries, Reading> = async ({ caller, params, query }, { store }) => {
  const { companyId } = caller;
  const { accountId } = params;
  const { page, filters } = pageRequest(query, entryFilters);
  const shards = await readShardCount(store, companyId, accountId);
  if (shards === undefined) throw notFound('Account');
  const entries = await listEntriesOf(store, companyId, { accountId, shards, ...filters }, page);
  return pageResponse(entries, ledgerEntryView);
};

export const handler = endpoint(ListEntries, listEntries, realTimeDependencies);
