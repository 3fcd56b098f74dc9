import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Delivery, DeliveryStatus, Notification } from '#shared/platform/outbox/delivery.ts';
import { newDelivery } from '#shared/platform/outbox/delivery.ts';
import { companyItem } from '#shared/platform/company.ts';
import { newCursorKey } from '#shared/platform/table/cursor.ts';
import { writeDelivery } from '#shared/webhooks/deliveries/store.ts';
import { deliveryItem, deliveryInserts } from '#shared/platform/outbox/delivery-items.ts';
import type { DeliveryFilters } from '#shared/webhooks/deliveries/list.ts';
import { listDeliveriesOf } from '#shared/webhooks/deliveries/list.ts';
import type { Consumed } from '#shared/platform/table/dynamo-reads.ts';
import { dynamoStore } from '#shared/platform/table/dynamo-store.ts';
import { listPartition } from '#shared/platform/table/keys.ts';
import { entriesOf, listPage } from '#shared/platform/table/listing.ts';
import type { Item, Store } from '#shared/platform/table/store.ts';
import type { TestEngine } from '#test/support/engine.ts';
import { startEngine } from '#test/support/engine.ts';
import { onEveryStore } from '#test/support/stores.ts';
import { each } from '#test/support/each.ts';

const t0 = '2026-03-02T12:00:00.000Z';

type Given = {
  readonly at?: number;
  readonly status?: DeliveryStatus;
  readonly event?: string;
  readonly orderId?: string;
};

/** A delivery as it stands after some time, and its two items. */
function buildDelivery(companyId: string, { at = 0, status = 'DELIVERED', event = 'E', orderId = 'o-1' }: Given) {
  const notification: Notification = {
    ...{ id: randomUUID(), event, body: '{}', createdAt: plusSeconds(t0, at), requestId: 'r' },
    resource: { type: 'PAY_IN', id: orderId },
    target: { type: 'PAYIN' },
  };
  const delivery: Delivery = { ...newDelivery(companyId, notification), status };
  const bytes = deliveryInserts(companyId, notification)[1]!.put;
  return { delivery, items: [deliveryItem(delivery), bytes] };
}

async function company(store: Store): Promise<string> {
  const companyId = randomUUID();
  await put(store, [
    companyItem({ companyId, organizationId: 'o', name: 'n', cursorKey: newCursorKey(), createdAt: t0 }),
  ]);
  return companyId;
}

async function put(store: Store, items: readonly Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += 100)
    await store.write(
      items.slice(start, start + 100).map((item) => ({ put: item })),
      randomUUID(),
    );
}

async function walk(store: Store, companyId: string, filters: DeliveryFilters, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; pages.length < 60;) {
    const page = await listDeliveriesOf(store, companyId, filters, { limit, cursor });
    pages.push(page.found.map(({ id }) => id));
    expect(page.hasNext).toBe(page.nextCursor !== null);
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
  }
  throw new Error('The walk does not end.');
}

onEveryStore((store) => {
  it('deliveries are listed in exact pages, whatever the filters', async () => {
    const companyId = await company(store());
    const statuses = ['FAILED', 'DELIVERED', 'HELD', 'DELIVERED', 'PENDING'] as const;
    const given = Array.from({ length: 60 }, (_, place) =>
      // Two of each moment: the id makes the order total.
      buildDelivery(companyId, {
        at: Math.floor(place / 2),
        status: statuses[place % 5]!,
        event: place % 3 === 0 ? 'E.ONE' : 'E.TWO',
        orderId: place % 4 === 0 ? 'o-1' : 'o-2',
      }),
    );
    await put(
      store(),
      given.flatMap(({ items }) => items),
    );
    const newestFirst = given
      .map(({ delivery }) => delivery)
      .toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? 1 : -1));
    const choices: DeliveryFilters[] = [undefined, 'FAILED', 'PENDING'].flatMap((status) =>
      [undefined, 'E.ONE', 'E.NONE'].flatMap((event) =>
        [undefined, 'o-1', 'o-3'].flatMap((resourceId) =>
          [undefined, plusSeconds(t0, 9), plusSeconds(t0, 100)].map((createdAfter) => {
            return { status: status as DeliveryStatus | undefined, event, resourceId, createdAfter };
          }),
        ),
      ),
    );
    for (const filters of each(choices)) {
      const { status, event, resourceId, createdAfter = '' } = filters;
      const wanted = newestFirst
        .filter((one) => one.status === (status ?? one.status) && one.event === (event ?? one.event))
        .filter((one) => one.resource.id === (resourceId ?? one.resource.id) && one.createdAt > createdAfter)
        .map(({ id }) => id);
      for (const limit of [1, 7, 100]) {
        const pages = await walk(store(), companyId, filters, limit);
        expect(pages.flat(), JSON.stringify(filters)).toEqual(wanted);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      }
    }
  });

  it('a delivery that changes its status between pages is neither shown twice nor lost', async () => {
    const companyId = await company(store());
    const given = Array.from({ length: 9 }, (_, at) => buildDelivery(companyId, { at, status: 'PENDING' }));
    await put(
      store(),
      given.flatMap(({ items }) => items),
    );
    const newestFirst = given.map(({ delivery }) => delivery).toReversed();
    const all = await listDeliveriesOf(store(), companyId, {}, { limit: 3 });
    const pending = await listDeliveriesOf(store(), companyId, { status: 'PENDING' }, { limit: 3 });
    for (const delivery of newestFirst.slice(2, 5))
      await writeDelivery(store(), { ...delivery, status: 'DELIVERED', version: 2 });
    const rest = await listDeliveriesOf(store(), companyId, {}, { limit: 9, cursor: all.nextCursor! });
    const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);
    expect([...ids(all.found), ...ids(rest.found)]).toEqual(ids(newestFirst));
    const after = { limit: 9, cursor: pending.nextCursor! };
    const restPending = await listDeliveriesOf(store(), companyId, { status: 'PENDING' }, after);
    expect(ids(restPending.found)).toEqual(ids(newestFirst.slice(5)));
    const delivered = await listDeliveriesOf(store(), companyId, { status: 'DELIVERED' }, { limit: 9 });
    expect(ids(delivered.found)).toEqual(ids(newestFirst.slice(2, 5)));
  });

  it('a listing may begin with the oldest', async () => {
    const companyId = await company(store());
    const given = Array.from({ length: 5 }, (_, at) => buildDelivery(companyId, { at, status: 'FAILED' }));
    await put(
      store(),
      given.flatMap(({ items }) => items),
    );
    const partition = listPartition(companyId, 'DELIVERY#FAILED');
    const keyOf = ({ id }: { readonly id: string }) => {
      const { PK, SK } = given.find(({ delivery }) => delivery.id === id)!.items[0]!;
      return { PK, SK };
    };
    const listing = {
      scope: { companyId, kind: 'DELIVERY' as const, filters: {} },
      source: entriesOf(store(), { index: 'GSI1', partition, ascending: true, keyOf }),
    };
    const first = await listPage(store(), { ...listing, limit: 3 });
    const second = await listPage(store(), { ...listing, limit: 3, cursor: first.nextCursor! });
    expect([...first.entries, ...second.entries].map(({ id }) => id)).toEqual(given.map(({ delivery }) => delivery.id));
  });
});

describe('the list of thousands of deliveries of which one matches', () => {
  const count = 4000;
  let engine: TestEngine;
  let companyId: string;
  const consumed: Consumed[] = [];
  const store = () =>
    dynamoStore({ client: engine.client, tableName: engine.tableName, onConsumed: (one) => consumed.push(one) });

  beforeAll(async () => {
    engine = await startEngine('listing');
    companyId = await company(store());
    // The oldest of all: a reading of the list from its newest end reads everything before it.
    const one = buildDelivery(companyId, { at: -1, status: 'FAILED', event: 'E.ONE', orderId: 'o-9' });
    const others = Array.from({ length: count }, (_, at) => buildDelivery(companyId, { at }).items).flat();
    await put(store(), [...one.items, ...others]);
  });
  afterAll(async () => {
    await engine.stop();
  });

  async function cost(filters: DeliveryFilters, limit = 20) {
    consumed.length = 0;
    const page = await listDeliveriesOf(store(), companyId, filters, { limit });
    return {
      shown: page.found.length,
      hasNext: page.hasNext,
      units: consumed.reduce((sum, one) => sum + one.units, 0),
    };
  }

  it.each([
    [{ status: 'FAILED' }, 1, 2],
    [{ status: 'FAILED', event: 'E.ONE' }, 1, 2],
    [{ status: 'HELD' }, 0, 1],
    [{ resourceId: 'o-9' }, 1, 2],
    [{ resourceId: 'o-9', status: 'FAILED', event: 'E.ONE' }, 1, 2],
    [{ createdAfter: plusSeconds(t0, count - 2) }, 1, 3],
  ] as const)('has its page for few read units with the filters %j', async (filters, shown, units) => {
    const page = await cost(filters);
    expect(page).toMatchObject({ shown, hasNext: false });
    expect(page.units).toBeLessThanOrEqual(units);
  });

  it('a page costs what it shows', async () => {
    expect(await cost({}, 20)).toMatchObject({ shown: 20, hasNext: true });
    expect((await cost({}, 20)).units).toBeLessThanOrEqual(22);
    // Read with one more, whose status says whether another page follows.
    expect((await cost({ status: 'DELIVERED' }, 20)).units).toBeLessThanOrEqual(24);
  });

  it('a status without a list of its own is looked for a bounded part at a time', async () => {
    const first = await cost({ status: 'PENDING' });
    expect(first).toMatchObject({ shown: 0, hasNext: true });
    expect(first.units).toBeLessThanOrEqual(320);
    expect((await walk(store(), companyId, { status: 'PENDING' }, 20)).flat()).toEqual([]);
  });

  it('an event that few have is looked for a bounded part at a time, to the last one', async () => {
    const first = await cost({ event: 'E.ONE' });
    expect(first).toMatchObject({ shown: 0, hasNext: true });
    expect(first.units).toBeLessThanOrEqual(50);
    const pages = await walk(store(), companyId, { event: 'E.ONE' }, 20);
    expect(pages.map(({ length }) => length)).toEqual([0, 0, 0, 0, 1]);
    const delivered = await cost({ event: 'E.ONE', status: 'DELIVERED' });
    expect(delivered).toMatchObject({ shown: 0, hasNext: true });
    expect(delivered.units).toBeLessThanOrEqual(50);
  });
});
