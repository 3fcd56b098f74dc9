import { orderReference } from './order-reference.ts';
import type { CreationRequest } from './idempotent-create.ts';

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
