import type { Account, AccountStatus, LedgerEntry } from '../platform/ledger/account.ts';
import { foldText } from '../platform/ledger/account.ts';
import { documentKey, parseAccount } from './store.ts';
import type { Position } from '../platform/table/cursor.ts';
import { readHash } from '../platform/keyed-hash.ts';
import { accountKeyPartition, keys, listPartition, prefixes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import type { CreatedBetween, Listing, OrderedPage, PageOf } from '../platform/table/listing.ts';
import { entriesOf, filterEntries, listPage, readItems } from '../platform/table/listing.ts';
import type { Filter, Item, Store } from '../platform/table/store.ts';
import { CorruptItem } from '../platform/table/store.ts';
import { parseLedgerEntry } from '../platform/ledger/ledger.ts';

/** Filters of a listing; `email` and `fullName` match any part, whatever case and accents (4.7). */
export type AccountFilters = {
  readonly status?: AccountStatus | undefined;
  readonly document?: string | undefined;
  readonly email?: string | undefined;
  readonly fullName?: string | undefined;
};

/** Entries of about 250 bytes: some 300 read units a request. */
const ofEntries = { atATime: 1000, inAll: 5000 };
/** Items read one by one: at most 300 read units a request. A holder has a handful of accounts. */
const ofItems = { atATime: 100, inAll: 300 };

/**
 * Accounts of a company by creation. `document` and `status` are keys; parts of name and e-mail are searched on a
 * budget. The whole list is a strongly consistent partition: each account keeps its place and is shown once. The list
 * of a status is an index: an account that changes its status between two pages may be missing.
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
  { status, document, email, fullName }: AccountFilters,
  ascending: boolean,
): Promise<Pick<Listing, 'source' | 'filtered'>> {
  const [inEmail, inName] = [foldText(email ?? ''), foldText(fullName ?? '')];
  const searched = inEmail !== '' || inName !== '';
  if (document !== undefined) {
    const { type, value } = documentKey(document);
    const hash = await readHash(store);
    const partition = accountKeyPartition(companyId, hash(companyId, type, value));
    const held = entriesOf(store, { partition, prefix: prefixes.accountHolder, ascending });
    const accounts = readItems(store, (id) => keys.account(companyId, id), held);
    const matches = (account: Account): boolean =>
      (status === undefined || account.status === status) &&
      foldText(account.email).includes(inEmail) &&
      foldText(account.fullName).includes(inName);
    return { source: filterEntries(accounts, ({ item }) => matches(parseAccount(item))), filtered: ofItems };
  }
  const { PK: partition } = keys.accountEntry(companyId, '', '');
  if (searched) {
    const filters: readonly Filter[] = [
      ...(status === undefined ? [] : [{ attribute: 'status', is: 'equal' as const, value: status }]),
      ...(inEmail === '' ? [] : [{ attribute: 'email', is: 'contains' as const, value: inEmail }]),
      ...(inName === '' ? [] : [{ attribute: 'name', is: 'contains' as const, value: inName }]),
    ];
    return { source: entriesOf(store, { partition, prefix: '', ascending, filters }), filtered: ofEntries };
  }
  if (status === undefined) return { source: entriesOf(store, { partition, prefix: '', ascending }) };
  const keyOf = ({ id }: Position) => keys.account(companyId, id);
  const listed = listPartition(companyId, byStatus('ACCOUNT', status));
  return { source: entriesOf(store, { index: 'GSI1', partition: listed, keyOf, ascending }) };
}

function requireAccount(item: Item | undefined): Account {
  if (item === undefined) throw new CorruptItem('A listed account is not there.');
  return parseAccount(item);
}

type StatementFilters = CreatedBetween & { readonly accountId: string };

/** One page of a statement: a strongly consistent partition. @throws RequestError on another list's cursor */
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
