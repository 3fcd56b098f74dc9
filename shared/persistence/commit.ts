import * as z from 'zod';
import type { Instant } from '../domain/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '../domain/brasilia-time.ts';
import type { Notification } from '../domain/notification.ts';
import type { Refusal } from '../domain/refusal.ts';
import { forbiddenByState } from '../domain/refusal.ts';
import { deliveryWrites } from './delivery-items.ts';
import type { UniqueKind } from './keys.ts';
import { keys } from './keys.ts';
import type { LedgerMove } from './ledger.ts';
import { ledgerWrites, refusedMove } from './ledger.ts';
import type { FailedCondition, Item, Put, Store, Write } from './store.ts';
import { CorruptItem, StoreUnavailable } from './store.ts';

/** The claim that a key makes on an operation: the resource it created, and what its sender asked for. */
export type IdempotencyClaim = {
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly resourceId: string;
  /** When the key may be used anew; absent where a key must never work twice (payouts, refunds). */
  readonly expiresAt?: Instant;
};

/**
 * One change of the world: the entities and everything that must be true together with them. There is no second write.
 * At most 100 writes in all.
 */
export type Change = {
  readonly companyId: string;
  readonly at: Instant;
  readonly idempotency?: IdempotencyClaim;
  readonly unique?: { readonly kind: UniqueKind; readonly externalId: string; readonly resourceId: string };
  readonly ledger?: readonly LedgerMove[];
  readonly writes: readonly Write[];
  readonly notifications?: readonly Notification[];
};

export type IdempotencyRecord = { readonly fingerprint: string; readonly resourceId: string };
/**
 * Which of several failed conditions decides: replay, then externalId, then conflict, then balance. An entity that moved
 * meanwhile is decided anew before anybody is told that the money is missing: the move may have taken it.
 */
export type Committed =
  | { readonly ok: true }
  | { readonly ok: false; readonly because: 'REPLAY'; readonly record: IdempotencyRecord }
  /**
   * The balance did not take a ledger move: too little money, or the account is not active. `stale`: an entity had moved
   * as well, perhaps taking that very money, so that the decision has to be made anew before anybody is refused.
   */
  | { readonly ok: false; readonly because: 'BALANCE'; readonly refusal: Refusal; readonly stale: boolean }
  | { readonly ok: false; readonly because: 'ALREADY_EXISTS' | 'CONFLICT' };

type Role = 'idempotency' | 'unique' | 'balance' | 'entity';
type Part = { readonly role: Role; readonly write: Write; readonly move?: LedgerMove };

/** How long ordinary keys are remembered, in seconds: 7 days. Keys of payouts and refunds have no end. */
export const KEY_LIFE_SECONDS = 7 * 24 * 60 * 60;

/** When an ordinary key that is used now may be used anew. */
export function keyExpiry(at: Instant): Instant {
  return plusSeconds(at, KEY_LIFE_SECONDS);
}

/** Writes a change in one transaction. `token` (at most 36 characters) makes repetitions of the same change harmless. */
export async function commit(store: Store, change: Change, token: string = crypto.randomUUID()): Promise<Committed> {
  const parts = partsOf(change);
  const outcome = await store.write(
    parts.map(({ write }) => write),
    token,
  );
  return outcome.ok ? outcome : judged(outcome.failed, parts, change);
}

function partsOf(change: Change): readonly Part[] {
  const { companyId, idempotency, unique, ledger = [], notifications = [] } = change;
  const entity = (write: Write): Part => ({ role: 'entity', write });
  return [
    ...(idempotency
      ? [{ role: 'idempotency' as const, write: idempotencyWrite(companyId, idempotency, change.at) }]
      : []),
    ...(unique ? [{ role: 'unique' as const, write: uniqueWrite(companyId, unique) }] : []),
    ...ledger.flatMap((move) =>
      ledgerWrites(companyId, move).map((write) => ({ role: 'balance' as const, write, move })),
    ),
    ...change.writes.map(entity),
    ...notifications.flatMap((notification) => deliveryWrites(companyId, notification)).map(entity),
  ];
}

function judged(failed: readonly FailedCondition[], parts: readonly Part[], change: Change): Committed {
  const of = (role: Role): FailedCondition | undefined => failed.find(({ index }) => parts[index]?.role === role);
  const key = of('idempotency');
  if (key !== undefined) {
    const record = idempotencyRecord(key.item);
    // Our own key: the first try was committed and only its answer was lost.
    return record.resourceId === change.idempotency?.resourceId
      ? { ok: true }
      : { ok: false, because: 'REPLAY', record };
  }
  if (of('unique') !== undefined) return { ok: false, because: 'ALREADY_EXISTS' };
  const balance = of('balance');
  const move = balance && parts[balance.index]?.move;
  if (balance !== undefined && move !== undefined)
    return {
      ok: false,
      because: 'BALANCE',
      refusal: refusedMove(move, balance.item),
      stale: of('entity') !== undefined,
    };
  return { ok: false, because: 'CONFLICT' };
}

/** A key that has expired is as good as absent: the table's own clearing of expired items is late by days. */
function idempotencyWrite(companyId: string, claim: IdempotencyClaim, at: Instant): Put {
  const key = keys.idempotency(companyId, claim.operation, claim.key);
  const expiresAt = claim.expiresAt === undefined ? {} : { expiresAt: epochSeconds(claim.expiresAt) };
  const { fingerprint, resourceId } = claim;
  return {
    put: { ...key, entity: 'IDEMPOTENCY', fingerprint, resourceId, createdAt: at, ...expiresAt },
    when: { any: [{ is: 'absent' }, { before: { expiresAt: epochSeconds(at) } }] },
  };
}

/** Keeps an external id for one resource of the company, for ever; also the way from the external id to the resource. */
export function uniqueWrite(companyId: string, { kind, externalId, resourceId }: NonNullable<Change['unique']>): Put {
  return {
    put: { ...keys.unique(companyId, kind, externalId), entity: 'UNIQUE', resourceId },
    when: { is: 'absent' },
  };
}

const IdempotencyItem = z.object({
  fingerprint: z.string(),
  resourceId: z.string(),
  expiresAt: z.number().optional(),
});

function idempotencyRecord(item: Item | undefined): IdempotencyRecord {
  const parsed = IdempotencyItem.safeParse(item);
  if (!parsed.success) throw new CorruptItem('An idempotency item is not what it should be.');
  return parsed.data;
}

/** The record that a key left behind, from the item read under `keys.idempotency`; undefined if absent or expired. */
export function rememberedKey(item: Item | undefined, at: Instant): IdempotencyRecord | undefined {
  if (item === undefined) return undefined;
  const expiresAt = item['expiresAt'];
  if (typeof expiresAt === 'number' && expiresAt < epochSeconds(at)) return undefined;
  return idempotencyRecord(item);
}

/** The resource of an earlier equal request; a different request under the same key is refused with 422. */
export function replayOf(record: IdempotencyRecord, fingerprint: string): string {
  if (record.fingerprint === fingerprint) return record.resourceId;
  throw forbiddenByState(
    'idempotency-key',
    'IDEMPOTENCY_KEY_REUSED',
    'The key was used for another request. Repeat the first request unchanged, or send a new key.',
  );
}

const TRIES = 6;

/**
 * Reads, decides and commits; when another change came in between, reads and decides anew. `attempt` gives undefined for
 * such a conflict. A conflict that outlasts six tries is `StoreUnavailable`: nothing was written.
 */
export async function untilCommitted<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < TRIES; attempts += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new StoreUnavailable('The resource kept changing while it was being changed.');
}
