import type * as z from 'zod';
import { keys, prefixes } from '#shared/platform/table/keys.ts';
import type { FilterRules } from '#shared/platform/table/filters.ts';
import type { OrderedPage, PageOf } from '#shared/platform/table/listing.ts';
import { entriesOf, listPage } from '#shared/platform/table/listing.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { StatementRootRecord } from './contract.ts';
import type { Inclusion, StatementRoot } from './items.ts';
import { parseInclusion, parseRoot } from './items.ts';

/** A signed root; the inclusion of an account that the caller names. */
type Shown = { readonly root: StatementRoot; readonly accountId?: string; readonly inclusion?: Inclusion };
type RootFilters = { readonly accountId?: string | undefined };

/** The rule of each filter: whether a root meets it. */
export const rootFilters: FilterRules<Shown, RootFilters> = {
  accountId: ({ accountId }, wanted) => accountId === wanted,
};

/**
 * Returns a page of signed roots by their minutes: all, or those whose tree has an account of the company.
 * @throws RequestError on another list's cursor
 */
export async function listRootsOf(
  store: Store,
  companyId: string,
  { accountId }: RootFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<Shown>> {
  const all = { partition: keys.statementRoot('').PK, prefix: '', ascending };
  const inclusions = {
    partition: keys.chainInclusion(companyId, accountId ?? '', '', '').PK,
    prefix: prefixes.chainInclusion,
    ascending,
  };
  const { entries, ...next } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'STATEMENT_ROOT', filters: { accountId, sort: ascending ? 'asc' : 'desc' } },
    source: entriesOf(store, accountId === undefined ? all : inclusions),
  });
  const items = entries.map(({ item }) => item);
  if (accountId === undefined) return { ...next, found: items.map((item) => ({ root: parseRoot(item) })) };
  return { ...next, found: await signedOnes(store, accountId, items) };
}

/** Adds its root to each inclusion. One in a tree that was never signed is left out. */
async function signedOnes(store: Store, accountId: string, items: readonly Item[]): Promise<readonly Shown[]> {
  const inclusions = items.map(parseInclusion);
  const minutes = [...new Set(inclusions.map(({ minute }) => minute))];
  const read = await store.read(minutes.map((minute) => keys.statementRoot(minute)));
  const roots = new Map(minutes.map((minute, at) => [minute, read[at] && parseRoot(read[at])] as const));
  return inclusions.flatMap((inclusion): readonly Shown[] => {
    const root = roots.get(inclusion.minute);
    return root?.root === inclusion.root ? [{ root, accountId, inclusion }] : [];
  });
}

/** A signed root as the API writes it. */
export function rootView({ root, accountId, inclusion }: Shown): z.output<typeof StatementRootRecord> {
  const { minute, root: hash, signedAt, jws } = root;
  const shown = { minute, root: hash, signedAt, jws };
  if (accountId === undefined || inclusion === undefined) return shown;
  const path = inclusion.path.map(({ side, hash: beside }) => ({ side, hash: beside.toString('hex') }));
  return { ...shown, inclusion: { accountId, position: inclusion.position, hash: inclusion.hash, path } };
}
