import type { Instant } from '../core/brasilia-time.ts';
import type { Clock } from '../core/brasilia-time.ts';
import type { Detail } from '../core/errors.ts';
import { forbiddenByState, Refusal, refuseFaults } from '../core/errors.ts';
import type { Change } from './commit.ts';
import type { IdempotencyRecord } from './idempotency.ts';
import { commit, untilCommitted } from './commit.ts';
import { keyExpiry, parseIdempotency, replayOf } from './idempotency.ts';
import type { Listed, ListedKind } from './table/list-kinds.ts';
import { keys } from './table/keys.ts';
import type { Item, Key, Store } from './table/store.ts';

/** Who asks for what, and under which names it is made only once. */
export type CreationRequest = {
  readonly caller: { readonly companyId: string };
  readonly fingerprint: string;
  readonly idempotencyKey: string | undefined;
  /** What clock and configuration forbid; a replay is answered all the same. */
  readonly presentFaults: readonly Detail[];
};

/** One read call: the items of these keys, and with them whatever the ladder itself has to look at. */
type Read = (wanted: readonly Key[]) => Promise<readonly (Item | undefined)[]>;

export type Creation<Found, Made, Answer> = {
  /** `operationId` of the contract: keys of different operations are different keys. */
  readonly operation: string;
  /** `FOR_EVER` where a key must never work twice, because it pays; else 7 days. */
  readonly keyLife: 'FOR_EVER' | 'WEEK';
  /**
   * The external id that the new resource takes, if it has one, what the resource is called, and where it is listed.
   */
  readonly unique?: {
    readonly kind: ListedKind;
    readonly externalId: string;
    readonly what: string;
    readonly listed: (made: Made) => Omit<Listed, 'id'>;
  };
  /**
   * Everything that the decision needs, in one read call. `read` reads key and external id with it; a query cannot, and
   * then the transaction checks them, or a read of their own when something forbids the request.
   */
  readonly find: (read: Read) => Promise<Found>;
  /** What the request makes. @throws Refusal when something forbids it. */
  readonly decide: (found: Found, at: Instant) => Made | Promise<Made>;
  /** The id by which the key remembers what was made. */
  readonly idOf: (made: Made) => string;
  /** Everything that it writes, beside key and external id. */
  readonly change: (
    made: Made,
    found: Found,
    at: Instant,
  ) => Omit<Change, 'companyId' | 'at' | 'idempotency' | 'unique'>;
  /** The answer to the request that made it: what has to follow the commit follows here. */
  readonly answer: (made: Made) => Answer | Promise<Answer>;
  /** The first answer again, built from what is stored. */
  readonly replay: (id: string) => Promise<Answer>;
};

/**
 * Makes something once, whatever becomes of the process and however often the request comes: the ladder of every
 * creating operation. A replay goes before everything; of other failed conditions the first in the order of
 * `CommitResult` decides, and a conflict is decided again. What forbids a request may be the work of its twin (the
 * money it reserved, the external id it took), so the key is read again before anything but success is answered: that
 * it wins does not rest on the database naming every condition that failed.
 *
 * @throws Refusal the `presentFaults`; what `decide` throws; 409 `ALREADY_EXISTS` on `externalId`; 422 for a key used
 * for another request; what the balance refuses. @throws StoreUnavailable when others keep coming in between.
 */
export async function createOnce<Found, Made, Answer>(
  { store, now, realNow }: { readonly store: Store; readonly now: Clock; readonly realNow: Clock },
  { caller: { companyId }, idempotencyKey, fingerprint, presentFaults }: CreationRequest,
  creation: Creation<Found, Made, Answer>,
): Promise<Answer> {
  const { operation, keyLife, unique, find, decide, idOf, change, answer, replay } = creation;
  const claimed = idempotencyKey === undefined ? undefined : keys.idempotency(companyId, operation, idempotencyKey);
  const taken = unique && keys.unique(companyId, unique.kind, unique.externalId);
  const again = (record: IdempotencyRecord): Promise<Answer> => replay(replayOf(record, fingerprint));
  const remembered = async (realAt: Instant): Promise<IdempotencyRecord | undefined> =>
    claimed && parseIdempotency((await store.read([claimed]))[0], realAt);

  return untilCommitted(async () => {
    const at = now();
    // Keys are remembered in real time: a clock that is set a year ahead forgets none.
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

    let made: Made;
    try {
      refuseFaults(presentFaults);
      if (unique && seen.taken !== undefined) throw alreadyExists(unique.what);
      made = await decide(found, at);
    } catch (error) {
      const record = error instanceof Refusal ? await remembered(realAt) : undefined;
      if (record === undefined) throw error;
      return again(record);
    }

    const resourceId = idOf(made);
    const expiresAt = keyLife === 'WEEK' ? { expiresAt: keyExpiry(realAt) } : {};
    const committed = await commit(store, {
      ...change(made, found, at),
      companyId,
      at: realAt,
      ...(idempotencyKey !== undefined && {
        idempotency: { operation, key: idempotencyKey, fingerprint, resourceId, ...expiresAt },
      }),
      ...(unique && {
        unique: { kind: unique.kind, externalId: unique.externalId, resourceId, listed: unique.listed(made) },
      }),
    });
    if (committed.ok) return answer(made);
    const record = committed.because === 'REPLAY' ? committed.record : await remembered(realAt);
    if (record !== undefined) return again(record);
    if (committed.because === 'ALREADY_EXISTS') throw alreadyExists(unique?.what ?? 'resource');
    if (committed.because === 'BALANCE') throw committed.refusal;
    return undefined;
  });
}

function alreadyExists(what: string): Refusal {
  return forbiddenByState('externalId', 'ALREADY_EXISTS', `A ${what} with this externalId exists.`);
}
