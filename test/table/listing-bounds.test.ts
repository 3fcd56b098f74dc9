import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { listAccountsOf, listEntriesOf } from '#shared/accounts/list.ts';
import { foldText } from '#shared/accounts/model.ts';
import { accountInserts } from '#shared/accounts/store.ts';
import { centavos } from '#shared/core/money.ts';
import { ledgerEntryPut } from '#shared/platform/ledger/ledger.ts';
import { readOrMakeHash } from '#shared/platform/keyed-hash.ts';
import { keys, resourceListAttributes } from '#shared/platform/table/keys.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import { listPayInsOf, payInInsert } from '#shared/pay-ins/store.ts';
import type { ResourceFilters } from '#shared/platform/table/resource-list.ts';
import { deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import type { Store, Write } from '#shared/platform/table/store.ts';
import { plusMilliseconds } from '#shared/core/brasilia-time.ts';
import { aPayIn } from '../support/builders.ts';
import { openCompany, sampleAccount, walkPages } from '../support/listings.ts';
import { memoryStore } from '../support/memory-store.ts';

const noon = '2026-03-10T12:00:00.000Z';
const count = 4000;
/** Keys and items that one request may look at, whatever is stored: what a budget names, and what it leads to. */
const mostRead = 2100;

/** A table that counts what is read from it. */
function counted(store: Store): { readonly store: Store; readonly taken: () => number } {
  let read = 0;
  return {
    store: {
      ...store,
      read: (wanted) => {
        read += wanted.length;
        return store.read(wanted);
      },
      query: async (query) => {
        const page = await store.query(query);
        read += query.filters === undefined ? page.items.length : (query.limit ?? Infinity);
        return page;
      },
    },
    taken: () => {
      const before = read;
      read = 0;
      return before;
    },
  };
}

async function putAll(store: Store, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += 100) await store.write(writes.slice(from, from + 100), randomUUID());
}

/** Pay-ins with one end-to-end id, which their payers’ banks chose; the oldest has an account of its own. */
async function payIns(store: Store, companyId: string): Promise<string> {
  const own = randomUUID();
  const other = randomUUID();
  const writes = Array.from({ length: count }, (_none, place): readonly Write[] => {
    const createdAt = plusMilliseconds(noon, place);
    const [id, externalId, accountId] = [randomUUID(), `e-${place}`, place === 0 ? own : other];
    const listed = resourceListAttributes(companyId, 'PAY_IN', { id, createdAt, accountId }, externalId);
    const paid = { status: 'PAID', endToEndId: 'E1', paidAt: createdAt } as const;
    return [
      { put: { ...keys.unique(companyId, 'PAY_IN', externalId), ...listed, entity: 'UNIQUE', resourceId: id } },
      payInInsert(companyId, aPayIn({ id, accountId, externalId, createdAt, ...paid })),
    ];
  });
  await putAll(store, writes.flat());
  return own;
}

test('a pay-in among thousands is found within the budget of each request, and by none twice', async () => {
  const { store, taken } = counted(memoryStore());
  const companyId = await openCompany(store);
  const accountId = await payIns(store, companyId);
  const filters: readonly (readonly [ResourceFilters, number])[] = [
    [{ accountId }, mostRead],
    [{ accountId, status: 'PAID' }, mostRead],
    [{ accountId, endToEndId: 'E1' }, 700],
    [{ externalId: 'e-0' }, 10],
  ];
  for (const [filter, most] of filters) {
    taken();
    const pages = await walkPages(async (cursor) => {
      const { found, ...rest } = await listPayInsOf(store, companyId, filter, { ascending: false, limit: 5, cursor });
      expect(taken(), JSON.stringify(filter)).toBeLessThanOrEqual(most);
      return { ...rest, ids: found.map(({ externalId }) => externalId) };
    });
    expect(pages.flat(), JSON.stringify(filter)).toEqual(['e-0']);
  }
});

test.each([
  [1, mostRead],
  [3, mostRead + 500],
])(
  'the entries of an order among thousands in %d shards are found within the budget of each request',
  async (shards, most) => {
    const { store, taken } = counted(memoryStore());
    const companyId = await openCompany(store);
    const [accountId, orderId, another] = [randomUUID(), randomUUID(), randomUUID()];
    const wanted = [0, 1, 2500, count - 2, count - 1];
    const ids: string[] = [];
    const writes = Array.from({ length: count }, (_none, place): Write => {
      const [id, isWanted] = [randomUUID(), wanted.includes(place)];
      if (isWanted) ids.push(id);
      const amounts = { available: centavos(1), reserved: centavos(0), at: plusMilliseconds(noon, place) };
      const of = { accountId, entryId: id, shard: place % shards, orderId: isWanted ? orderId : another };
      return ledgerEntryPut(companyId, { ...of, ...amounts, kind: isWanted ? 'PAYOUT_PAID' : 'PAYOUT_RESERVED' });
    });
    await putAll(store, writes);
    const filters = [{ orderId }, { type: 'PAYOUT_PAID' }, { orderId, type: 'PAYOUT_PAID' }] as const;
    for (const filter of filters)
      for (const ascending of [true, false]) {
        taken();
        const pages = await walkPages(async (cursor) => {
          const asked = { accountId, shards, ...filter };
          const { found, ...rest } = await listEntriesOf(store, companyId, asked, { ascending, limit: 5, cursor });
          expect(taken(), JSON.stringify(filter)).toBeLessThanOrEqual(most);
          return { ...rest, ids: found.map(({ id }) => id) };
        });
        expect(pages.flat(), JSON.stringify(filter)).toEqual(ascending ? ids : ids.toReversed());
        expect(pages.length).toBeGreaterThan(1);
      }
    const none = { accountId, shards, orderId: randomUUID(), createdFrom: plusMilliseconds(noon, count - 50) };
    taken();
    expect(await listEntriesOf(store, companyId, none, { ascending: false, limit: 5 })).toMatchObject({
      hasNext: false,
    });
    expect(taken()).toBeLessThanOrEqual(110);
  },
);

test('a delivery among thousands is found within the budget of each request, by keys at once', async () => {
  const { store, taken } = counted(memoryStore());
  const companyId = await openCompany(store);
  const resource = { type: 'PAYOUT' as const, id: randomUUID() };
  const notificationFields = { resource, target: { type: 'PAYOUT' as const }, body: '{}', requestId: 'q' };
  const writes = Array.from({ length: 2500 }, (_none, place) => {
    const event = place === 0 ? 'RARE' : 'COMMON';
    const notification = { ...notificationFields, id: `d-${place}`, event, createdAt: plusMilliseconds(noon, place) };
    return deliveryInserts(companyId, notification);
  });
  await putAll(store, writes.flat());
  for (const [filter, found] of [
    [{ event: 'RARE' }, ['d-0']],
    [{ event: 'RARE', status: 'PENDING' }, ['d-0']],
    [{ event: 'RARE', resourceId: resource.id }, ['d-0']],
    [{ status: 'FAILED', resourceId: resource.id }, []],
    [{ status: 'FAILED' }, []],
    [{ status: 'HELD' }, []],
  ] as const) {
    taken();
    const pages = await walkPages(async (cursor) => {
      const { found: deliveries, ...rest } = await listDeliveriesOf(store, companyId, filter, { limit: 5, cursor });
      expect(taken(), JSON.stringify(filter)).toBeLessThanOrEqual(1200);
      return { ...rest, ids: deliveries.map(({ id }) => id) };
    });
    expect(pages.flat(), JSON.stringify(filter)).toEqual(found);
    if (!('event' in filter) && !('resourceId' in filter)) expect(pages, 'a key').toHaveLength(1);
  }
});

test('an account among thousands is found within the budget of each request, by a part of its name or e-mail', async () => {
  const { store, taken } = counted(memoryStore());
  const companyId = await openCompany(store);
  const hash = await readOrMakeHash(store);
  const [wanted, ...others] = Array.from({ length: 5500 }, (_none, place) => {
    const holder = place === 0 ? 'Zoë Núñez' : 'Maria Souza';
    const [email, createdAt] = [`${foldText(holder).replace(' ', '.')}@example.com`, plusMilliseconds(noon, place)];
    return sampleAccount({ companyId, createdAt, email, fullName: holder, status: 'ACTIVE' });
  });
  const writes = [wanted!, ...others].flatMap((account) => {
    const opening = { amount: centavos(0), entryId: randomUUID(), at: account.createdAt };
    const isListed = (write: Write) =>
      'put' in write && (write.put['entity'] === 'ACCOUNT' || write.put['entity'] === 'ACCOUNT_ENTRY');
    return accountInserts(hash, account, opening).filter(isListed);
  });
  await putAll(store, writes);
  for (const filter of [{ fullName: 'ZOE' }, { email: 'zoe.' }, { status: 'ACTIVE', fullName: 'núñez' }] as const) {
    taken();
    const pages = await walkPages(async (cursor) => {
      const { found, ...rest } = await listAccountsOf(store, companyId, filter, { ascending: false, limit: 5, cursor });
      expect(taken(), JSON.stringify(filter)).toBeLessThanOrEqual(5010);
      return { ...rest, ids: found.map(({ id }) => id) };
    });
    expect(pages.flat(), JSON.stringify(filter)).toEqual([wanted!.id]);
  }
});

test.each([
  ['spread over all shards', (place: number) => (place * 7) % 32],
  ['in one shard, older than the others', () => 0],
  ['in one shard, with a few new ones in the others', (place: number) => (place < 250 ? 0 : place % 32)],
])('a page of a statement asks a shard twice only where its entries are, with entries %s', async (_where, shardOf) => {
  let queries = 0;
  const memory = memoryStore();
  const store: Store = { ...memory, query: (query) => ((queries += 1), memory.query(query)) };
  const companyId = await openCompany(store);
  const accountId = randomUUID();
  const amounts = { available: centavos(1), reserved: centavos(0) };
  const entry = (place: number): Write => {
    const facts = { accountId, kind: 'PAY_IN', entryId: `e-${place}`, shard: shardOf(place), ...amounts } as const;
    return ledgerEntryPut(companyId, { ...facts, at: plusMilliseconds(noon, place) });
  };
  await putAll(
    store,
    Array.from({ length: 300 }, (_none, place) => entry(place)),
  );
  const pages = await walkPages(async (cursor) => {
    queries = 0;
    const page = { ascending: false, limit: 100, cursor };
    const { found, ...rest } = await listEntriesOf(store, companyId, { accountId, shards: 32 }, page);
    expect(queries).toBeLessThanOrEqual(40);
    return { ...rest, ids: found.map(({ id }) => id) };
  });
  expect(pages.flat()).toEqual(Array.from({ length: 300 }, (_none, place) => `e-${299 - place}`));
});
