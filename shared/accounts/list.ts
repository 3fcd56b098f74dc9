import type { Account } from '#shared/accounts/model.ts';
import type { AccountStatus, LedgerEntry, LedgerKind } from '#shared/platform/ledger/balance.ts';
import { ownOrderOf } from '#shared/platform/ledger/balance.ts';
import { foldText } from '#shared/accounts/model.ts';
import { documentKey, parseAccount } from './store.ts';
import type { FilterRules } from '../platform/table/filters.ts';
import { meetsFilters, undecided } from '../platform/table/filters.ts';
import type { Position } from '../platform/table/cursor.ts';
import { readHash } from '../platform/keyed-hash.ts';
import { accountKeyPartition, keys, listPartition, prefixes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import type { CreatedBetween, Listing, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, filterEntries, listPage, mergeEntries, readItems } from '../platform/table/listing.ts';
import type { Filter, Item, Key, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import { parseLedgerEntry } from '../platform/ledger/ledger.ts';

/** Filters of a listing; `email` and `fullName` match any part, whatever case and accents (4.7). */
export type AccountFilters = {
  readonly status?: AccountStatus | undefined;
  readonly document?: string | undefined;
  readonly email?: string | undefined;
  readonly fullName?: string | undefined;
};

/** The rule of each filter: whether an account meets it. */
export const accountFilters: FilterRules<Account, AccountFilters> = {
  status: ({ status }, wanted) => status === wanted,
  document: ({ document }, number) => documentKey(document.number).value === documentKey(number).value,
  email: ({ email }, part) => foldText(email).includes(foldText(part)),
  fullName: ({ fullName }, part) => foldText(fullName).includes(foldText(part)),
};

/** Budget for list entries of about 250 bytes: some 300 read units a request. */
const ofEntries = { atATime: 1000, inAll: 5000 };
/**
 * Budget for accounts that are read one by one: at most 300 read units a request. A holder has a handful of accounts.
 */
const ofItems = { atATime: 100, inAll: 300 };

/**
 * Returns a page of a company's accounts by creation. `document` and `status` are keys; parts of name and e-mail are
 * searched within a budget. The list of all accounts is a strongly consistent partition: each account keeps its place
 * and is shown once. The list of one status is an index: an account that changes its status between two pages may be
 * missing.
 * @throws RequestError on a cursor that is not one of this listing
 */
export async function listAccountsOf(
  store: Store,
  companyId: string,
  filters: AccountFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<Account>> {
  const { entries, hasNext, nextCursor } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'ACCOUNT', filters: { ...filters, sort: ascending ? 'asc' : 'desc' } },
    ...(await sourceOf(store, companyId, filters, ascending)),
  });
  const isWhole = entries.every(({ item }) => item['entity'] === 'ACCOUNT');
  const items = isWhole
    ? entries.map(({ item }) => item)
    : await store.read(entries.map(({ id }) => keys.account(companyId, id)));
  return { found: items.map(requireAccount), hasNext, nextCursor };
}

async function sourceOf(
  store: Store,
  companyId: string,
  filters: AccountFilters,
  ascending: boolean,
): Promise<Pick<Listing, 'source' | 'filtered'>> {
  const { status, document, email, fullName } = filters;
  const keyOf = (id: string): Key => keys.account(companyId, id);
  const meets = ({ item }: { readonly item: Item }): boolean =>
    meetsFilters(accountFilters, filters, parseAccount(item));
  /**
   * Returns the source. Reads the accounts only for filters that the keys and attributes of the source do not decide.
   */
  const narrowed = (
    source: Listing['source'],
    decided: readonly (keyof AccountFilters)[],
    budget?: typeof ofEntries,
  ) =>
    undecided(accountFilters, filters, decided).length === 0
      ? { source, ...(budget && { filtered: budget }) }
      : { source: filterEntries(readItems(store, keyOf, source), meets), filtered: ofItems };
  const [inEmail, inName] = [foldText(email ?? ''), foldText(fullName ?? '')];
  const searched = inEmail !== '' || inName !== '';
  if (document !== undefined) {
    const { type, value } = documentKey(document);
    const hash = await readHash(store);
    const partition = accountKeyPartition(companyId, hash(companyId, type, value));
    const held = entriesOf(store, { partition, prefix: prefixes.accountHolder, ascending });
    return { source: filterEntries(readItems(store, keyOf, held), meets), filtered: ofItems };
  }
  const { PK: partition } = keys.accountEntry(companyId, '', '');
  if (searched) {
    const inEntries: readonly Filter[] = [
      ...(status === undefined ? [] : [{ attribute: 'status', is: 'equal' as const, value: status }]),
      ...(inEmail === '' ? [] : [{ attribute: 'email', is: 'contains' as const, value: inEmail }]),
      ...(inName === '' ? [] : [{ attribute: 'name', is: 'contains' as const, value: inName }]),
    ];
    const found = entriesOf(store, { partition, prefix: '', ascending, filters: inEntries });
    return narrowed(found, ['status', 'email', 'fullName'], ofEntries);
  }
  // A searched text that folds to an empty one, such as a single accent, is in every name and e-mail.
  const everywhere = ['email', 'fullName'] as const;
  if (status === undefined) return narrowed(entriesOf(store, { partition, prefix: '', ascending }), everywhere);
  const listed = listPartition(companyId, byStatus('ACCOUNT', status));
  const ofStatus = entriesOf(store, {
    index: 'GSI1',
    partition: listed,
    ascending,
    keyOf: ({ id }: Position) => keyOf(id),
  });
  return narrowed(ofStatus, ['status', ...everywhere]);
}

function requireAccount(item: Item | undefined): Account {
  if (item === undefined) throw new CorruptItem('Cannot find a listed account.');
  return parseAccount(item);
}

/** Filters of a statement. */
type EntryFilters = CreatedBetween & {
  readonly type?: LedgerKind | undefined;
  readonly orderId?: string | undefined;
};

/** The rule of each filter: whether an entry meets it. An entry is not found by an order that it does not show. */
export const entryFilters: FilterRules<LedgerEntry, EntryFilters> = {
  type: ({ kind }, wanted) => kind === wanted,
  orderId: (entry, wanted) => ownOrderOf(entry) === wanted,
  createdFrom: ({ at }, from) => at >= from,
  createdTo: ({ at }, until) => at < until,
};

type StatementFilters = EntryFilters & { readonly accountId: string; readonly shards: number };

/** Budget for whole entries of about 500 bytes: some 250 read units a request. */
const entryBudget = { atATime: 500, inAll: 2000 };

/**
 * Returns a page of a statement, from a strongly consistent partition for each shard of the balance. Times are keys;
 * type and order are searched within a budget.
 * @throws RequestError on another list's cursor
 */
export async function listEntriesOf(
  store: Store,
  companyId: string,
  { accountId, shards, ...filters }: StatementFilters,
  { ascending, ...page }: OrderedPage,
): Promise<PageOf<LedgerEntry>> {
  const { createdFrom: from, createdTo: until } = filters;
  const inShards = Array.from({ length: shards }, (_, shard) => {
    const { PK: partition } = keys.ledgerEntry(companyId, accountId, '', '', shard);
    return entriesOf(store, { partition, prefix: prefixes.ledgerEntry, ascending, from, until });
  });
  const inTime = mergeEntries(inShards, ascending);
  const { entries, ...rest } = await listPage(store, {
    ...page,
    scope: { companyId, kind: 'LEDGER_ENTRY', filters: { accountId, ...filters, sort: ascending ? 'asc' : 'desc' } },
    // After the merge: a part without a match would not say how far it was read.
    source: filterEntries(inTime, ({ item }) => meetsFilters(entryFilters, filters, parseLedgerEntry(item))),
    ...(undecided(entryFilters, filters, ['createdFrom', 'createdTo']).length > 0 && { filtered: entryBudget }),
  });
  return { ...rest, found: entries.map(({ item }) => parseLedgerEntry(item)) };
}
