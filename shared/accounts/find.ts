import * as z from 'zod';
import type { Account } from '../platform/ledger/account.ts';
import type { BankData } from '../core/party.ts';
import type { PixKey } from '../core/pix-key.ts';
import type { KnownBy } from './lookup-keys.ts';
import { bankAccountKey } from './lookup-keys.ts';
import { readAccount } from './store.ts';
import { readHash } from '../platform/keyed-hash.ts';
import { accountKeyPartition } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Page, Store } from '../platform/table/store.ts';

const AccountKeyItem = z.object({ accountId: z.string() });

/**
 * The company's account that a key leads to: of those that share it the one that was opened first and is not closed.
 * Reads one query, and an account for each that stands in the way.
 */
export async function findAccountByKey(store: Store, companyId: string, key: PixKey): Promise<Account | undefined> {
  return firstOpen(store, companyId, { type: key.type, value: key.key });
}

/**
 * The company's account at this bank, branch and number, however number and branch are written; as `findAccountByKey`.
 */
export async function findAccountAt(store: Store, companyId: string, bank: BankData): Promise<Account | undefined> {
  return firstOpen(store, companyId, bankAccountKey(bank));
}

async function firstOpen(store: Store, companyId: string, known: KnownBy): Promise<Account | undefined> {
  const hash = await readHash(store);
  const partition = accountKeyPartition(companyId, hash(companyId, known.type, known.value));
  let after: Page['next'];
  do {
    const page: Page = await store.query({ partition, limit: 25, ...(after && { after }) });
    for (const item of page.items) {
      const { accountId } = parseItem(AccountKeyItem, item, 'key of an account');
      const account = await readAccount(store, companyId, accountId);
      if (account !== undefined && account.status !== 'CLOSED') return account;
    }
    after = page.next;
  } while (after !== undefined);
  return undefined;
}
