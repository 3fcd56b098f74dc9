import { createHash } from 'node:crypto';
import { endToEndStem, orderIdOf } from '../core/identifiers.ts';

/**
 * A reference that follows from these texts: a UUID of version 8 (RFC 9562, 5.8) without hyphens that ends in `00`, cut
 * out of a SHA-256. 32 characters: a `txid` of the BCB's Pix API, and the id of an order.
 */
export function orderReference(texts: readonly string[]): string {
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
