import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { plusSeconds } from '../../shared/domain/brasilia-time.ts';
import type { Delivery } from '../../shared/domain/delivery.ts';
import { newDelivery } from '../../shared/domain/delivery.ts';
import { companyItem } from '../../shared/persistence/company.ts';
import { newCursorKey } from '../../shared/persistence/cursor.ts';
import { deliveryItem } from '../../shared/persistence/delivery-items.ts';
import { keys } from '../../shared/persistence/keys.ts';
import { listPage } from '../../shared/persistence/listing.ts';
import { onEveryStore } from '../support/stores.ts';

const t0 = '2026-03-02T12:00:00.000Z';

onEveryStore((store) => {
  it('deliveries are listed in exact pages in both directions, with and without filters', async () => {
    const companyId = randomUUID();
    const company = { companyId, organizationId: 'o', name: 'n', cursorKey: newCursorKey(), createdAt: t0 };
    const deliveries = Array.from({ length: 25 }, (_, place): Delivery => {
      const createdAt = plusSeconds(t0, Math.floor(place / 2));
      const notification = {
        id: randomUUID(),
        event: 'E',
        target: { type: 'PAYIN' as const },
        body: '{}',
        createdAt,
        requestId: 'r',
      };
      return { ...newDelivery(companyId, notification), status: place % 3 === 0 ? 'FAILED' : 'DELIVERED' };
    });
    const items = [companyItem(company), ...deliveries.map(deliveryItem)];
    await store().write(
      items.map((put) => ({ put })),
      randomUUID(),
    );

    const walk = async (limit: number, status: string | undefined, ascending: boolean): Promise<string[]> => {
      const ids: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 30; pages += 1) {
        const page = await listPage(store(), {
          scope: { companyId, kind: 'DELIVERY', filters: { status } },
          filters: status === undefined ? [] : [{ attribute: 'status', is: 'equal', value: status }],
          limit,
          cursor,
          ascending,
          keyOf: (id) => keys.delivery(companyId, id),
        });
        ids.push(...page.items.map(({ id }) => id as string));
        if (page.nextCursor === null) return ids;
        expect(page.items).toHaveLength(limit);
        cursor = page.nextCursor;
      }
      throw new Error('The walk does not end.');
    };
    const oldestFirst = [...deliveries].sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
    for (const limit of [1, 4, 5, 24, 25, 26])
      for (const status of [undefined, 'FAILED', 'DELIVERED', 'HELD']) {
        const wanted = oldestFirst
          .filter((delivery) => delivery.status === (status ?? delivery.status))
          .map(({ id }) => id);
        expect(await walk(limit, status, true)).toEqual(wanted);
        expect(await walk(limit, status, false)).toEqual(wanted.toReversed());
      }
  });
});
