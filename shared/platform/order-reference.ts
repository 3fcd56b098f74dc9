import { createHash } from 'node:crypto';
import { endToEndStem, orderIdOf } from '../core/identifiers.ts';
import type { CreationRequest } from './idempotent-create.ts';

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
