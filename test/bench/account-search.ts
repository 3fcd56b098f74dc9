import { randomUUID } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { centavos } from '#shared/core/money.ts';
import type { AccountFilters } from '#shared/accounts/list.ts';
import { listAccountsOf } from '#shared/accounts/list.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { accountEntryItem, accountInserts } from '#shared/accounts/store.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { startEngine } from '../support/engine.ts';
import { openCompany, sampleAccount } from '../support/listings.ts';

/**
 * What it costs to find the one account that matches, the oldest, among 100, 10 000 and 100 000 of a company:
 * `TEST_ENGINE=dynamodb-local node test/bench/account-search.ts` (the embedded engine is slow to fill). Requests until
 * it is shown, read units of the dearest of them, and of all.
 */

const searches: readonly AccountFilters[] = [
  { fullName: 'nunez' },
  { email: 'ZOE@' },
  { document: 'XDA123456' },
  { status: 'CLOSED' },
];

let units = 0;
const engine = await startEngine('account-search');
const { client, tableName } = engine;
const store = dynamoStore({ client, tableName, onConsumed: (one) => (units += one.units) });
process.stdout.write('| Accounts | Filter | Requests | Units, the dearest | Units, all |\n|---|---|---|---|---|\n');
for (const count of [100, 10_000, 100_000]) {
  const companyId = await companyOf(count);
  for (const filters of searches) process.stdout.write(`| ${count} | ${await costOf(companyId, filters)} |\n`);
}
await engine.stop();

/** All but the one that is looked for stand in the list alone: no page shows them. */
async function companyOf(count: number): Promise<string> {
  const companyId = await openCompany(store);
  const document = { type: 'PASSPORT', number: 'XDA123456' } as const;
  const one = sampleAccount({ companyId, document, fullName: 'Zoë Núñez', email: 'zoe@example.com', status: 'CLOSED' });
  await put(
    store,
    accountInserts(await readOrMakeHash(store), one, { amount: centavos(0), entryId: randomUUID(), at: one.createdAt }),
  );
  const createdAt = '2026-01-16T12:00:00.000Z';
  for (let made = 1; made < count; made += 25) {
    const batch = Array.from({ length: Math.min(25, count - made) }, () => sampleAccount({ companyId, createdAt }));
    const requests = batch.map((account) => ({ PutRequest: { Item: accountEntryItem(account) } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
  return companyId;
}

async function put(into: Store, writes: Parameters<Store['write']>[0]): Promise<void> {
  const outcome = await into.write(writes, randomUUID());
  if (!outcome.ok) throw new Error('An account was not written.');
}

async function costOf(companyId: string, filters: AccountFilters): Promise<string> {
  const costs: number[] = [];
  for (let cursor: string | undefined; ;) {
    units = 0;
    const page = await listAccountsOf(store, companyId, filters, { ascending: false, limit: 20, cursor });
    costs.push(units);
    if (page.found.length > 0)
      return [JSON.stringify(filters), costs.length, Math.max(...costs), costs.reduce((a, b) => a + b)].join(' | ');
    if (page.nextCursor === null) throw new Error('It was not found.');
    cursor = page.nextCursor;
  }
}
