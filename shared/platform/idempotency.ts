import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../core/brasilia-time.ts';
import { forbiddenByState } from '../core/errors.ts';
import { keys } from './table/keys.ts';
import type { Members } from './table/parse.ts';
import { parseItem } from './table/parse.ts';
import type { Item, Put } from './table/store.ts';

/** The resource that a key created, and the fingerprint of its request. */
export type IdempotencyRecord = { readonly fingerprint: string; readonly resourceId: string };

export type IdempotencyClaim = IdempotencyRecord & {
  readonly operation: string;
  readonly key: string;
  /** When the key may be used again; absent where a key never works twice (payouts, refunds). */
  readonly expiresAt?: Instant;
};

const IdempotencyItem = z.object({
  fingerprint: z.string(),
  resourceId: z.string(),
  /** Epoch seconds. */
  expiresAt: z.int().exactOptional(),
} satisfies Members<IdempotencyRecord & Pick<IdempotencyClaim, 'expiresAt'>>);

/** Life of ordinary keys: 7 days. Keys of payouts and refunds have no end. */
const keyLifeSeconds = 7 * 86_400;

/** The expiry of an ordinary key that is used at this time. */
export function keyExpiry(at: Instant): Instant {
  return plusSeconds(at, keyLifeSeconds);
}

/** An expired key counts as absent: the table deletes expired items days late. */
export function idempotencyInsert(companyId: string, claim: IdempotencyClaim, at: Instant): Put {
  const { operation, key, fingerprint, resourceId, expiresAt } = claim;
  const item = {
    ...keys.idempotency(companyId, operation, key),
    entity: 'IDEMPOTENCY',
    fingerprint,
    resourceId,
    createdAt: at,
    ...(expiresAt !== undefined && { expiresAt: epochSeconds(expiresAt) }),
  };
  return { put: item, when: { any: [{ is: 'absent' }, { before: { expiresAt: epochSeconds(at) } }] } };
}

/** The record in an item under `keys.idempotency`; undefined when it is absent or has expired. @throws CorruptItem */
export function parseIdempotency(item: Item | undefined, at: Instant): IdempotencyRecord | undefined {
  if (item === undefined) return undefined;
  const { expiresAt, ...record } = parseItem(IdempotencyItem, item, 'idempotency');
  return expiresAt !== undefined && expiresAt < epochSeconds(at) ? undefined : record;
}

/** The resource of an earlier equal request. @throws RequestError 422 for another request under the same key. */
export function replayOf(record: IdempotencyRecord, fingerprint: string): string {
  if (record.fingerprint === fingerprint) return record.resourceId;
  throw forbiddenByState(
    'idempotency-key',
    'IDEMPOTENCY_KEY_REUSED',
    'The key was used for another request. Repeat the first request unchanged, or send a new key.',
  );
}
