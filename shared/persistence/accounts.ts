import * as z from 'zod';
import type { Account, AccountStatus } from '../domain/account.ts';
import { accountStatuses, bankAccountTypes, folded, holderDocumentTypes, holderTypes } from '../domain/account.ts';
import type { Instant } from '../domain/brasilia-time.ts';
import type { Centavos } from '../domain/money.ts';
import { centavos } from '../domain/money.ts';
import { keys, listed } from './keys.ts';
import { ledgerEntryPut, StoredCentavos } from './ledger.ts';
import { parsed } from './parse.ts';
import type { Filter, Item, Store, Write } from './store.ts';

const AccountItem = z.object({
  id: z.string(),
  companyId: z.string(),
  status: z.enum(accountStatuses),
  holderType: z.enum(holderTypes).nullable(),
  fullName: z.string(),
  email: z.string(),
  phone: z.string(),
  document: z.object({ type: z.enum(holderDocumentTypes), number: z.string() }),
  bankAccountData: z.object({
    ispb: z.string(),
    bankNumber: z.string().exactOptional(),
    branchNumber: z.string(),
    accountNumber: z.string(),
    accountType: z.enum(bankAccountTypes),
    createdAt: z.string(),
  }),
  createdAt: z.string(),
  pixTransactionLimit: StoredCentavos.exactOptional(),
});

/** What `GET /accounts` can ask for; `email` and `fullName` match anywhere, whatever their case and accents (specification, 4.7). */
export type AccountSearch = {
  readonly status?: AccountStatus | undefined;
  readonly document?: string | undefined;
  readonly email?: string | undefined;
  readonly fullName?: string | undefined;
};

/**
 * The item of an account. Name and e-mail are kept a second time as they are searched, the document's number and the phone
 * on the first level: a filter reaches no deeper.
 */
export function accountItem(account: Account): Item {
  const { companyId, id, createdAt, document, bankAccountData, ...rest } = account;
  return {
    ...keys.account(companyId, id),
    ...listed(companyId, 'ACCOUNT', createdAt, id),
    ...rest,
    entity: 'ACCOUNT',
    version: 1,
    companyId,
    id,
    createdAt,
    updatedAt: createdAt,
    document: { ...document },
    bankAccountData: { ...bankAccountData },
    documentNumber: document.number,
    nameFolded: folded(account.fullName),
    emailFolded: folded(account.email),
  };
}

/** @throws CorruptItem */
export function parseAccount(item: Item): Account {
  return parsed(AccountItem, item, 'account');
}

/** The filters of a search on the listing partition `ACCOUNT`. */
export function accountFilters({ status, document, email, fullName }: AccountSearch): readonly Filter[] {
  const wanted: readonly (readonly [string, Filter['is'], string | undefined])[] = [
    ['status', 'equal', status],
    ['documentNumber', 'equal', document],
    ['emailFolded', 'contains', email === undefined ? undefined : folded(email)],
    ['nameFolded', 'contains', fullName === undefined ? undefined : folded(fullName)],
  ];
  return wanted.flatMap(([attribute, is, value]) => (value === undefined ? [] : [{ attribute, is, value }]));
}

/** A new account with its balance; opening money (above zero) has its entry like any other. All conditional on absence. */
export function accountCreation(
  account: Account,
  opening: { readonly amount: Centavos; readonly entryId: string; readonly at: Instant },
): readonly Write[] {
  const { companyId, id: accountId, status: accountStatus } = account;
  const { amount, entryId, at } = opening;
  const nothing = centavos(0);
  const money = { available: amount, reserved: nothing };
  const balance = { entity: 'BALANCE', accountId, accountStatus, ...money, updatedAt: at };
  return [
    { put: accountItem(account), when: { is: 'absent' } },
    { put: { ...keys.balance(companyId, accountId), ...balance }, when: { is: 'absent' } },
    ...(amount > nothing ? [ledgerEntryPut(companyId, { accountId, kind: 'OPENING', ...money, at, entryId })] : []),
  ];
}

/** A change of status, in the account and in its balance's copy at once. The first write fails when the status is no longer `from`. */
export function accountStatusWrites(
  companyId: string,
  change: {
    readonly accountId: string;
    readonly from: AccountStatus;
    readonly to: AccountStatus;
    readonly at: Instant;
  },
): readonly [Write, Write] {
  const { accountId, from, to, at } = change;
  return [
    {
      update: keys.account(companyId, accountId),
      set: { status: to, updatedAt: at },
      add: { version: 1 },
      when: { equals: { status: from } },
    },
    {
      update: keys.balance(companyId, accountId),
      set: { accountStatus: to, updatedAt: at },
      when: { equals: { accountStatus: from } },
    },
  ];
}

/** One read. `undefined` when the company has no such account. */
export async function readAccount(store: Store, companyId: string, id: string): Promise<Account | undefined> {
  const [item] = await store.read([keys.account(companyId, id)]);
  return item && parseAccount(item);
}
