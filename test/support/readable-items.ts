import { dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import type { Item } from '#shared/platform/table/store.ts';

/** An item with what the key of a delivery says, written out for the eyes of a test. */
export function readable(item: Item): Item {
  return item['entity'] === 'DELIVERY' ? { ...item, id: dispatchOf(item)?.deliveryId ?? '' } : item;
}
