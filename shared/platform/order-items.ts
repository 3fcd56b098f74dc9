import { isUuid, parentOrderId } from '../core/identifiers.ts';
import { keys } from './table/keys.ts';
import type { Item, Store } from './table/store.ts';
import { CorruptItem } from './table/store.ts';

/** An order's own item, and every item of its partition with it. */
export type OrderItems = { readonly order: Item; readonly items: readonly Item[] };

/**
 * Everything that belongs to an order, in one query of its partition. `id` may be that of a batch's payment, which
 * leads to its order. Undefined if the company has no such order.
 */
export async function readOrderItems(store: Store, companyId: string, id: string): Promise<OrderItems | undefined> {
  if (!isUuid(id)) return undefined;
  const { PK, SK } = keys.order(companyId, parentOrderId(id.toLowerCase()));
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('An order has more than one page of items.');
  const order = items.find((item) => item.SK === SK);
  return order && { order, items };
}
