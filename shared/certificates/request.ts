import type * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { pick } from '../core/pick.ts';
import { parseIdempotency } from '../platform/idempotency.ts';
import { keys } from '../platform/table/keys.ts';
import type { Store } from '../platform/table/store.ts';
import type { CertifiedRequest } from './contract.ts';

/** A request that created a payment. `operation`: its `operationId`. */
type Created = {
  readonly operation: string;
  readonly resourceId: string;
  readonly createdAt: Instant;
  readonly createdBy?: string;
  readonly idempotencyKey?: string;
};

/** Returns what is known of a request: its fingerprint is that of its idempotency key, which never expires. */
export async function requestOf(
  store: Store,
  companyId: string,
  { operation, resourceId, createdAt, createdBy, idempotencyKey }: Created,
): Promise<z.output<typeof CertifiedRequest>> {
  const [item] =
    idempotencyKey === undefined ? [] : await store.read([keys.idempotency(companyId, operation, idempotencyKey)]);
  const record = parseIdempotency(item, createdAt);
  return {
    at: createdAt,
    ...pick({ clientId: createdBy, idempotencyKey }, 'clientId', 'idempotencyKey'),
    ...(record?.resourceId === resourceId && pick(record, 'fingerprint')),
  };
}
