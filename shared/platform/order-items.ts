import { createHash } from 'node:crypto';
import { isUuid, parentOrderId } from '../core/identifiers.ts';
import { keys } from './table/keys.ts';
import type { Item, Store } from './table/store.ts';
import { CorruptItem } from './table/store.ts';
import type { CreationRequest } from './idempotent-create.ts';

export type OrderItems = { readonly order: Item; readonly items: readonly Item[] };

/**
 * The items of an order, in one query; `id` may be that of a batch's payment. Undefined if the company has no such
 * order.
 */
export async function readOrderItems(store: Store, companyId: string, id: string): Promise<OrderItems | undefined> {
  if (!isUuid(id)) return undefined;
  const { PK, SK } = keys.order(companyId, parentOrderId(id.toLowerCase()));
  const { items, next } = await store.query({ partition: PK });
  if (next !== undefined) throw new CorruptItem('An order has more than one page of items.');
  const order = items.find((item) => item.SK === SK);
  return order && { order, items };
}

/**
 * A UUID of version 8 (RFC 9562, 5.8) from the SHA-256 of these strings, without hyphens, ending in `00`. It serves as
 * `txid` (BCB, API Pix) and as the id of an order.
 */
function orderReference(parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17, 30)}00`;
}

/**
 * The reference of a request at the bank, known before anything is written. A repetition has the same reference, any
 * other request has another one, even with the same idempotency key. Guessing it needs the company's id.
 */
export function bankReference(
  { caller: { companyId }, idempotencyKey, fingerprint }: CreationRequest,
  { operation, externalId, part }: { readonly operation: string; readonly externalId: string; readonly part: string },
): string {
  // Without a key the external id names the request.
  const name = idempotencyKey === undefined ? ['externalId', externalId] : ['key', idempotencyKey];
  return orderReference([companyId, operation, ...name, fingerprint, part]);
}
