import { randomUUID } from 'node:crypto';
import { ListAccounts } from '#functions/accounts/list/contract.ts';
import { ListEntries } from '#functions/accounts/list-entries/contract.ts';
import { listEntries } from '#functions/accounts/list-entries/handler.ts';
import { listAccounts } from '#functions/accounts/list/handler.ts';
import { ListSubscriptions } from '#functions/subscriptions/list/contract.ts';
import { listSubscriptions } from '#functions/subscriptions/list/handler.ts';
import { centavos } from '#shared/core/money.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { accountInserts } from '#shared/accounts/store.ts';
import { ledgerWrites } from '#shared/platform/ledger/ledger.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { caller } from '../support/api.ts';
import { openCompany, sampleAccount } from '../support/listings.ts';
import type { Measured } from './measured-operations.ts';

/** What lists cost in a company that has thirty-three of each. */
export async function measuredListings(store: Store): Promise<readonly Measured[]> {
  const companyId = await openCompany(store);
  const hash = await readOrMakeHash(store);
  for (let count = 0; count < 33; count += 1) {
    const account = sampleAccount({ companyId, ...(count === 0 && { fullName: 'Zoë Núñez' }) });
    const opening = { amount: centavos(0), entryId: randomUUID(), at: account.createdAt };
    await store.write(accountInserts(hash, account, opening), randomUUID());
  }
  const account = sampleAccount({ companyId });
  const { id: accountId } = account;
  await store.write(
    accountInserts(hash, account, { amount: centavos(1), entryId: randomUUID(), at: account.createdAt }),
    randomUUID(),
  );
  for (let count = 0; count < 32; count += 1) {
    const deposit = { accountId, kind: 'DEPOSIT', available: centavos(1), reserved: centavos(0) } as const;
    const at = `2026-01-16T12:00:${String(count).padStart(2, '0')}.000Z`;
    await store.write(ledgerWrites(companyId, { ...deposit, at, entryId: randomUUID() }), randomUUID());
  }
  const accounts = caller(ListAccounts, listAccounts, { store });
  const subscriptions = caller(ListSubscriptions, listSubscriptions, { store });
  const entries = caller(ListEntries, listEntries, { store, realNow: () => '2026-01-15T15:00:00.000Z' });
  const list = (name: string, query: Readonly<Record<string, string>>, shown: number, ask = accounts): Measured => ({
    name,
    kind: 'other',
    run: async () => {
      const { body, text } = await ask({ companyId, ...(ask === entries && { params: { accountId } }), query });
      if ((body as { data: unknown[] }).data.length !== shown) throw new Error(text);
    },
  });
  return [
    list('List subscriptions, of which there are none', {}, 0, subscriptions),
    list('Statement, 20 entries of 33', {}, 20, entries),
    list('List 20 accounts of 34', {}, 20),
    list('The same of one status', { status: 'ACTIVE' }, 20),
    list('Look for a name that one of 34 accounts has', { fullName: 'nunez' }, 1),
  ];
}
