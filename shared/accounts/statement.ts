import type { LedgerEntry } from '../platform/ledger/entry.ts';
import type { CreatedBetween, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, listPage } from '../platform/table/listing.ts';
import { keys, prefixes } from '../platform/table/keys.ts';
import { parseLedgerEntry } from '../platform/ledger/ledger.ts';
import type { Store } from '../platform/table/store.ts';

type StatementFilters = CreatedBetween & { readonly accountId: string };

/**
 * One page of an account's ledger: a partition of the table by time, strongly consistent, in which entries are neither
 * changed nor removed.
 *
 * @throws Refusal on a cursor that is not one of this statement
 */
export async function listEntriesOf(
  store: Store,
  companyId: string,
  { accountId, ...created }: StatementFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<LedgerEntry>> {
  const { PK: partition } = keys.ledgerEntry(companyId, accountId, '', '');
  const { createdFrom: from, createdTo: until } = created;
  const { entries, ...rest } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'LEDGER_ENTRY', filters: { accountId, ...created, sort: ascending ? 'asc' : 'desc' } },
    source: entriesOf(store, { partition, prefix: prefixes.ledgerEntry, ascending, from, until }),
  });
  return { ...rest, found: entries.map(({ item }) => parseLedgerEntry(item)) };
}
