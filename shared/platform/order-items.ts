import { createHash } from 'node:crypto';
import { isUuid, parentOrderId, endToEndStem, orderIdOf } from '../core/identifiers.ts';
import { keys } from './table/keys.ts';
import type { Item, Store } from './table/store.ts';
import { CorruptItem } from './table/store.ts';
import type { CreationRequest } from './idempotent-create.ts';

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

/**
 * A reference that follows from these texts: a UUID of version 8 (RFC 9562, 5.8) without hyphens that ends in `00`, cut
 * out of a SHA-256. 32 characters: a `txid` of the BCB's Pix API, and the id of an order.
 */
function orderReference(texts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17, 30)}00`;
}

/**
 * The id of a company's payout, from the end-to-end id of any of its payments: whoever holds one knows the order
 * without an index. It cannot be guessed without the id of the company.
 */
export function payoutIdOf(companyId: string, endToEndId: string): string {
  return orderIdOf(orderReference([companyId, 'PAYOUT', endToEndStem(endToEndId)]));
}

/**
 * The reference by which the bank knows what a request asks it to open, before anything is written: the same for the
 * same request, so that its repetition asks for the same thing; another for another request, also under the same key.
 *
 * It cannot be guessed without the id of the company.
 */
export function bankReference(
  { caller: { companyId }, idempotencyKey, fingerprint }: CreationRequest,
  { operation, externalId, part }: { readonly operation: string; readonly externalId: string; readonly part: string },
): string {
  // Without a key the external id names the request: it can be made once.
  const name = idempotencyKey === undefined ? ['externalId', externalId] : ['key', idempotencyKey];
  return orderReference([companyId, operation, ...name, fingerprint, part]);
}
