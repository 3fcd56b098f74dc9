import * as z from 'zod';
import type { Account } from '#shared/accounts/model.ts';
import type { AccountStatus, Shard } from '#shared/platform/ledger/balance.ts';
import { accountNotActive, accountStatuses } from '#shared/platform/ledger/balance.ts';
import {
  bankAccountTypes,
  brazilianDocument,
  foldText,
  holderDocumentTypes,
  holderTypes,
} from '#shared/accounts/model.ts';
import type { Instant } from '../core/brasilia-time.ts';
import type { Centavos } from '../core/money.ts';
import { centavos } from '../core/money.ts';
import { notFound } from '../core/errors.ts';
import type { Hash } from '../platform/keyed-hash.ts';
import { accountKeyPartition, keys, listAttributes } from '../platform/table/keys.ts';
import { byStatus } from '../platform/table/list-kinds.ts';
import { bookableAt, ledgerEntryPut, StoredCentavos } from '../platform/ledger/ledger.ts';
import type { Members } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Condition, Item, Page, Put, Store, Update, Write } from '../platform/table/store.ts';
import type { BankData } from '../core/party.ts';
import type { PixKey } from '../core/pix-key.ts';
import { recognisePixKey } from '../core/pix-key.ts';
import { readHash } from '../platform/keyed-hash.ts';

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
  } satisfies Members<Account['bankAccountData']>),
  createdAt: z.string(),
  pixTransactionLimit: StoredCentavos.exactOptional(),
  payoutsAMinute: z.int().exactOptional(),
  equalPayouts: z.literal('REFUSED').exactOptional(),
  shards: z.int().exactOptional(),
} satisfies Members<Account>);

export function accountItem(account: Account): Item {
  const { companyId, id, status, createdAt, document, bankAccountData, ...rest } = account;
  return {
    ...keys.account(companyId, id),
    ...listAttributes(companyId, byStatus('ACCOUNT', status), createdAt, id),
    ...rest,
    entity: 'ACCOUNT',
    version: 1,
    companyId,
    id,
    status,
    createdAt,
    updatedAt: createdAt,
    document: { ...document },
    bankAccountData: { ...bankAccountData },
  };
}

/**
 * Returns the account's entry in the list of all accounts, with the fields of a search: folded name and e-mail, and
 * status.
 */
function accountEntryItem({ companyId, id, status, createdAt, fullName, email }: Account): Item {
  return {
    ...keys.accountEntry(companyId, createdAt, id),
    entity: 'ACCOUNT_ENTRY',
    status,
    name: foldText(fullName),
    email: foldText(email),
  };
}

export function parseAccount(item: Item): Account {
  return parseItem(AccountItem, item, 'account');
}

/**
 * Returns the writes of a new account: account, balance, list entry, lookup keys, and a ledger entry for an opening
 * balance.
 */
export function accountInserts(
  hash: Hash,
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
    { put: accountEntryItem(account), when: { is: 'absent' } },
    ...accountKeyInserts(hash, account),
    ...(amount > nothing ? [ledgerEntryPut(companyId, { accountId, kind: 'OPENING', ...money, at, entryId })] : []),
  ];
}

/**
 * Returns the writes that change the status in the account, its balance and the list. The first fails when the status
 * has changed meanwhile. Those of the balance's shards fail when an account with money is to be closed: the money could
 * never leave it. In other changes the shards beside the first come before, one by one (`shardStatusUpdate`): many
 * shards of a busy account are never free together.
 */
export function accountStatusUpdates(account: Account, to: AccountStatus, at: Instant, shards = 1): readonly Write[] {
  const { companyId, id, status: from, createdAt } = account;
  const empty: readonly Condition[] = to === 'CLOSED' ? [{ equals: { available: 0, reserved: 0 } }, noneBlocked] : [];
  const closed = Array.from({ length: to === 'CLOSED' ? shards - 1 : 0 }, (_, index): Write => {
    const update = keys.balance(companyId, id, index + 1);
    return { update, set: { accountStatus: to }, when: { all: empty } };
  });
  return [
    {
      update: keys.account(companyId, id),
      set: { status: to, updatedAt: at, ...listAttributes(companyId, byStatus('ACCOUNT', to), createdAt, id) },
      add: { version: 1 },
      when: { equals: { status: from } },
    },
    {
      update: keys.balance(companyId, id),
      set: { accountStatus: to },
      when: { all: [{ equals: { accountStatus: from } }, ...empty] },
    },
    ...closed,
    { put: accountEntryItem({ ...account, status: to }) },
  ];
}

/** A shard that never held blocked money lacks the number. */
const noneBlocked: Condition = { any: [{ lacks: 'blocked' }, { equals: { blocked: 0 } }] };

/** Sets or removes the account's limit of payouts a minute. */
export function payoutLimitUpdate(companyId: string, id: string, payoutsAMinute: number | undefined): Update {
  const limit = payoutsAMinute === undefined ? { remove: ['payoutsAMinute'] } : { set: { payoutsAMinute } };
  return { update: keys.account(companyId, id), ...limit, add: { version: 1 }, when: { is: 'present' } };
}

/** Sets whether the account refuses a payout like another one. */
export function equalPayoutsUpdate(companyId: string, id: string, areRefused: boolean): Update {
  const change = areRefused ? { set: { equalPayouts: 'REFUSED' } } : { remove: ['equalPayouts'] };
  return { update: keys.account(companyId, id), ...change, add: { version: 1 }, when: { is: 'present' } };
}

/** Changes the copy of an account's status in one shard of its balance. It fails if the copy is another. */
export function shardStatusUpdate({ companyId, id, status: from }: Account, to: AccountStatus, shard: number): Update {
  const update = keys.balance(companyId, id, shard);
  return { update, set: { accountStatus: to }, when: { equals: { accountStatus: from } } };
}

/**
 * Returns the writes that let new payments use so many shards of the account's balance. Those that do not exist get
 * equal shares of the first one's money. Shards that are no longer used keep their money, which the others get when
 * they need it.
 */
export function shardWrites(account: Account, first: Shard, wanted: number, at: Instant): readonly Write[] {
  const { companyId, id: accountId, status: accountStatus } = account;
  const { shards: existing = 1, available: money } = first;
  const same: Condition = existing === 1 ? { lacks: 'shards' } : { equals: { shards: existing } };
  const count = Math.max(0, wanted - existing);
  const available = Math.max(0, Math.floor(money / (count + 1)));
  const growth: Update = {
    update: keys.balance(companyId, accountId),
    set: { shards: wanted, updatedAt: at, ...(existing === 1 && { moves: 0 }) },
    add: { available: 0 - count * available, ...(existing > 1 && { moves: 1 }) },
    when: {
      all: [
        { equals: { accountStatus } },
        same,
        bookableAt(at),
        { atLeast: { available: Math.min(money, count * available) } },
      ],
    },
  };
  const added = Array.from({ length: count }, (_, index): Put => {
    const facts = { entity: 'BALANCE', accountId, accountStatus, available, reserved: 0, moves: 0, updatedAt: at };
    return { put: { ...keys.balance(companyId, accountId, existing + index), ...facts }, when: { is: 'absent' } };
  });
  const setting: Update = {
    update: keys.account(companyId, accountId),
    set: { shards: wanted },
    add: { version: 1 },
    when: { equals: { status: accountStatus } },
  };
  return [setting, ...(added.length > 0 ? [growth] : []), ...added];
}

/**
 * Returns the account of an item.
 * @throws RequestError when there is no item (404) or the account is not active (409).
 */
export function requireActiveAccount(item: Item | undefined): Account {
  if (item === undefined) throw notFound('Account');
  const account = parseAccount(item);
  if (account.status !== 'ACTIVE') throw accountNotActive(account.status);
  return account;
}

/** Reads an account with one read; `undefined` when the company has no such account. */
export async function readAccount(store: Store, companyId: string, id: string): Promise<Account | undefined> {
  const [item] = await store.read([keys.account(companyId, id)]);
  return item && parseAccount(item);
}

/** Lookup key of an account, besides its id: data of its holder, or its bank account. */
type LookupKey = { readonly type: PixKey['type'] | 'DOCUMENT' | 'BANK_ACCOUNT'; readonly value: string };

/**
 * Returns the items by which an account is found: its holder's document (also as PIX key), e-mail and phone, its bank
 * account. Accounts may share a lookup key: their items are ordered by creation, after the item of a confirmed key.
 */
export function accountKeyInserts(hash: Hash, account: Account): readonly Put[] {
  const { companyId, id, createdAt } = account;
  return finderKeysOf(account).map(({ type, value }) => {
    const key = keys.accountKey(companyId, hash(companyId, type, value), createdAt, id);
    return { put: { ...key, entity: 'ACCOUNT_KEY', accountId: id }, when: { is: 'absent' } };
  });
}

function finderKeysOf(account: Account): readonly LookupKey[] {
  const { ispb, branchNumber: branch, accountNumber } = account.bankAccountData;
  const values = [brazilianDocument(account)?.number, account.email, account.phone];
  return [
    ...values.flatMap((text) => {
      const key = text === undefined ? undefined : recognisePixKey(text);
      return key === undefined ? [] : [{ type: key.type, value: key.key }];
    }),
    documentKey(account.document.number),
    bankAccountKey({ ispb, branch, account: accountNumber }),
  ];
}

/** Returns the lookup key of a holder's document of any kind: in capitals, without marks. */
export function documentKey(number: string): LookupKey {
  return { type: 'DOCUMENT', value: number.replaceAll(/[^0-9a-z]/giu, '').toUpperCase() };
}

/**
 * Returns the lookup key of a bank account. Leading zeros, dots and hyphens are left out: they are not always written.
 */
function bankAccountKey({ ispb, branch = '', account }: BankData): LookupKey {
  const bare = (text: string): string =>
    text
      .replaceAll(/[.-]/gu, '')
      .replace(/^0+(?=.)/u, '')
      .toUpperCase();
  return { type: 'BANK_ACCOUNT', value: [ispb, bare(branch), bare(account)].join('/') };
}

const AccountKeyItem = z.object({ accountId: z.string() });

/**
 * Finds the company's account of a PIX key: the one that confirmed it, else the first created of those that share it.
 * Closed accounts are skipped.
 */
export async function findAccountByKey(store: Store, companyId: string, key: PixKey): Promise<Account | undefined> {
  return firstOpen(store, companyId, { type: key.type, value: key.key });
}

/** Finds the company's account at this bank, branch and number, whichever way these are written. */
export async function findAccountAt(store: Store, companyId: string, bank: BankData): Promise<Account | undefined> {
  return firstOpen(store, companyId, bankAccountKey(bank));
}

async function firstOpen(store: Store, companyId: string, lookup: LookupKey): Promise<Account | undefined> {
  const hash = await readHash(store);
  const partition = accountKeyPartition(companyId, hash(companyId, lookup.type, lookup.value));
  let after: Page['next'];
  do {
    const page: Page = await store.query({ partition, limit: 25, ...(after && { after }) });
    for (const item of page.items) {
      const { accountId } = parseItem(AccountKeyItem, item, 'account key');
      const account = await readAccount(store, companyId, accountId);
      if (account !== undefined && account.status !== 'CLOSED') return account;
    }
    after = page.next;
  } while (after !== undefined);
  return undefined;
}
