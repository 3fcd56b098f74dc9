import type { Instant } from '../core/brasilia-time.ts';
import type { Clock } from '../core/brasilia-time.ts';
import type { Detail } from '../core/errors.ts';
import { forbiddenByState, RequestError, requireNoDetails, throttled } from '../core/errors.ts';
import type { Change } from './commit.ts';
import { nowMs } from './clock.ts';
import type { IdempotencyRecord } from './idempotency.ts';
import { commit, untilCommitted } from './commit.ts';
import { keyExpiry, parseIdempotency, replayOf } from './idempotency.ts';
import { emit } from './metrics.ts';
import type { Listed, ListedKind } from './table/list-kinds.ts';
import { keys } from './table/keys.ts';
import type { Item, Key, Store } from './table/store.ts';
import { ItemContended } from './table/store.ts';

export type CreationRequest = {
  readonly caller: { readonly companyId: string };
  readonly fingerprint: string;
  readonly idempotencyKey: string | undefined;
  /** Issues that depend on clock and configuration; a replay ignores them. */
  readonly contextDetails: readonly Detail[];
};

/** One read call: the items of these keys, together with the key and the external id. */
type Read = (wanted: readonly Key[]) => Promise<readonly (Item | undefined)[]>;

export type Creation<Found, Created, Result> = {
  /** `operationId` of the contract, part of the key. */
  readonly operation: string;
  /** `FOR_EVER` where an idempotency key must never work twice, because the operation pays; `WEEK`: 7 days. */
  readonly keyLife: 'FOR_EVER' | 'WEEK';
  /** The external id of the new resource, if it has one, the resource's name in errors, and its place in the list. */
  readonly unique?: {
    readonly kind: ListedKind;
    readonly externalId: string;
    readonly resourceName: string;
    readonly listed: (created: Created) => Omit<Listed, 'id'>;
    /** Returns the end-to-end id by which the resource is found before it is final. */
    readonly endToEndId?: (created: Created) => string | undefined;
  };
  /**
   * Reads what `decide` needs, in one call. `read` also reads idempotency key and external id. A query cannot read
   * them: then the transaction checks them.
   */
  readonly find: (read: Read) => Promise<Found>;
  /** The new resource. @throws RequestError when a rule forbids it. */
  readonly decide: (found: Found, at: Instant) => Created | Promise<Created>;
  readonly idOf: (created: Created) => string;
  /** All writes except idempotency key and external id. */
  readonly change: (
    created: Created,
    found: Found,
    at: Instant,
  ) => Omit<Change, 'companyId' | 'at' | 'idempotency' | 'unique' | 'onContention'>;
  /** Returns the first response, and does everything that must follow the commit. */
  readonly response: (created: Created) => Result | Promise<Result>;
  /** The first response again, from what is stored. */
  readonly replay: (id: string) => Promise<Result>;
};

/**
 * Creates a resource once, however often the request comes. A replay goes before every other failure. Of other failed
 * conditions the first in the order of `CommitResult` decides, and a conflict is decided again. A concurrent request
 * with the same key may have reserved the money or taken the external id, so the key is read again before any error.
 * @throws RequestError for `contextDetails`; what `decide` throws; 409 `ALREADY_EXISTS` on `externalId`; 422 for a key
 * of another request; what the balance refuses; 429 when other payments change the balance during every try.
 * @throws StoreUnavailable when conflicts outlast the retries.
 */
export async function createOnce<Found, Created, Result>(
  { store, now, realNow }: { readonly store: Store; readonly now: Clock; readonly realNow: Clock },
  { caller: { companyId }, idempotencyKey, fingerprint, contextDetails }: CreationRequest,
  creation: Creation<Found, Created, Result>,
): Promise<Result> {
  const { operation, keyLife, unique, find, decide, idOf, change, response, replay } = creation;
  const claimed = idempotencyKey === undefined ? undefined : keys.idempotency(companyId, operation, idempotencyKey);
  const taken = unique && keys.unique(companyId, unique.kind, unique.externalId);
  const again = (record: IdempotencyRecord): Promise<Result> => replay(replayOf(record, fingerprint));
  const remembered = async (realAt: Instant): Promise<IdempotencyRecord | undefined> =>
    claimed && parseIdempotency((await store.read([claimed]))[0], realAt);

  return untilCommitted(async () => {
    const at = now();
    // Idempotency keys expire in real time: a company's clock that is set a year ahead expires none.
    const realAt = realNow();
    const own = [...(claimed ? [claimed] : []), ...(taken ? [taken] : [])];
    const seen: { known?: Item | undefined; taken?: Item | undefined } = {};
    const found = await find(async (wanted) => {
      const items = await store.read([...own, ...wanted]);
      if (claimed) seen.known = items[0];
      if (taken) seen.taken = items[own.length - 1];
      return items.slice(own.length);
    });
    const known = parseIdempotency(seen.known, realAt);
    if (known !== undefined) return again(known);

    let created: Created;
    try {
      requireNoDetails(contextDetails);
      if (unique && seen.taken !== undefined) throw alreadyExists(unique.resourceName);
      created = await decide(found, at);
    } catch (error) {
      const record = error instanceof RequestError ? await remembered(realAt) : undefined;
      if (record === undefined) throw error;
      return again(record);
    }

    const resourceId = idOf(created);
    const expiresAt = keyLife === 'WEEK' ? { expiresAt: keyExpiry(realAt) } : {};
    const committing = commit(store, {
      ...change(created, found, at),
      companyId,
      at: realAt,
      ...(idempotencyKey !== undefined && {
        idempotency: { operation, key: idempotencyKey, fingerprint, resourceId, ...expiresAt },
      }),
      ...(unique && {
        unique: {
          kind: unique.kind,
          externalId: unique.externalId,
          resourceId,
          listed: unique.listed(created),
          endToEndId: unique.endToEndId?.(created),
        },
      }),
      onContention: 'SHED',
    });
    const committed = await committing.catch((error: unknown) => {
      if (!(error instanceof ItemContended)) throw error;
      return { ok: false, because: 'CONTENDED' } as const;
    });
    if (committed.ok) return response(created);
    const record = committed.because === 'REPLAY' ? committed.record : await remembered(realAt);
    if (record !== undefined) return again(record);
    if (committed.because === 'ALREADY_EXISTS') throw alreadyExists(unique?.resourceName ?? 'resource');
    if (committed.because === 'BALANCE') throw committed.error;
    if (committed.because === 'CONTENDED') {
      emit(nowMs(), 'kind', { kind: operation }, [{ name: 'RequestsShed', unit: 'Count', value: 1 }]);
      throw throttled('The account has too many payments at this moment. Nothing was carried out.', 1);
    }
    return undefined;
  });
}

function alreadyExists(resourceName: string): RequestError {
  return forbiddenByState('externalId', 'ALREADY_EXISTS', `A ${resourceName} with this externalId exists.`);
}
