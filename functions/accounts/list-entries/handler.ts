import type { FileResponse, Operation } from '#shared/contract/contract.ts';
import { notFound } from '#shared/core/errors.ts';
import { addCentavos } from '#shared/core/money.ts';
import { endpoint } from '#shared/platform/http/endpoint.ts';
import { pageRequest, pageResponse } from '#shared/platform/http/page.ts';
import { readBalance, readShardCount } from '#shared/platform/ledger/shards.ts';
import type { ChainOf } from '#shared/accounts/chain/items.ts';
import { proofsOf } from '#shared/accounts/chain/proofs.ts';
import type { StatementFormat } from '#shared/accounts/files/statement-file.ts';
import { csvPage, ofxPage, statementFiles } from '#shared/accounts/files/statement-file.ts';
import { entryFilters, listEntriesOf } from '#shared/accounts/list.ts';
import { readAccount } from '#shared/accounts/store.ts';
import type { RealTimeDependencies } from '#shared/platform/dependencies.ts';
import { realTimeDependencies } from '#shared/platform/dependencies.ts';
import { accountView, ledgerEntryView } from '#shared/accounts/view.ts';
import { ListEntries } from './contract.ts';

type Deps = Pick<RealTimeDependencies, 'store' | 'realNow'>;
type Query = Parameters<typeof listEntries>[0]['query'];
type PageResponse = ReturnType<typeof pageResponse<unknown, ReturnType<typeof ledgerEntryView>>>;

/**
 * Returns one page of a statement, from all shards of the account's balance, as JSON or as a file.
 * @throws RequestError 404; for a cursor of another listing
 */
export const listEntries: Operation<typeof ListEntries, Deps> = async ({ caller, params, query }, deps) => {
  const { companyId } = caller;
  const { accountId } = params;
  const { format = 'json', proof, ...listed } = query;
  const { page, filters } = pageRequest(listed, entryFilters);
  const shards = await readShardCount(deps.store, companyId, accountId);
  if (shards === undefined) throw notFound('Account');
  const entries = await listEntriesOf(deps.store, companyId, { accountId, shards, ...filters }, page);
  const response = pageResponse(entries, ledgerEntryView);
  if (format === 'json')
    return proof === undefined ? response : withProofs(deps.store, { companyId, accountId }, response);
  const text =
    format === 'csv'
      ? csvPage(response.body.data, query.cursor === undefined)
      : ofxPage(response.body.data, await statementOf(deps, { companyId, accountId }, query));
  return fileOf(format, text, nextPage(query, response.body));
};

/** Adds its proof to each entry that is chained. */
async function withProofs(store: Deps['store'], chain: ChainOf, { status, body }: PageResponse): Promise<PageResponse> {
  const proofs = await proofsOf(store, chain, body.data);
  const data = body.data.map((entry) => {
    const proof = proofs.get(entry.id);
    return { ...entry, ...(proof && { proof }) };
  });
  return { status, body: { ...body, data } };
}

function fileOf(format: StatementFormat, text: string, next: string | undefined): FileResponse {
  const file = { mediaType: statementFiles[format], name: `statement.${format}`, text };
  return { status: 200, file: { ...file, ...(next !== undefined && { next }) } };
}

/** Returns the query of the next page; undefined on the last one. */
function nextPage(query: Query, { nextCursor }: PageResponse['body']): string | undefined {
  if (nextCursor === null) return undefined;
  const kept = Object.entries({ ...query, cursor: nextCursor }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return `?${new URLSearchParams(kept).toString()}`;
}

/** Returns what an OFX file says of the account and of its balance now. */
async function statementOf(
  { store, realNow }: Deps,
  { companyId, accountId }: { readonly companyId: string; readonly accountId: string },
  { createdFrom, createdTo }: Query,
) {
  const [account, balance] = await Promise.all([
    readAccount(store, companyId, accountId),
    readBalance(store, companyId, accountId),
  ]);
  if (account === undefined || balance === undefined) throw notFound('Account');
  const at = realNow();
  const { available, reserved, blocked } = balance;
  return {
    account: accountView(account).bankAccountData,
    from: createdFrom ?? account.createdAt,
    to: createdTo ?? at,
    at,
    balance: addCentavos(available, reserved, blocked),
    available,
  };
}

export const handler = endpoint(ListEntries, listEntries, realTimeDependencies);
