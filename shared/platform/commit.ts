import type { Instant } from '../core/brasilia-time.ts';
import { plusMilliseconds } from '../core/brasilia-time.ts';
import type { Notification } from './outbox/delivery.ts';
import type { RequestError } from '../core/errors.ts';
import { deliveryInserts } from './outbox/delivery-items.ts';
import type { ExternalIdClaim } from './external-ids.ts';
import { uniqueInsert } from './external-ids.ts';
import type { IdempotencyClaim, IdempotencyRecord } from './idempotency.ts';
import { idempotencyInsert, parseIdempotency } from './idempotency.ts';
import type { LedgerPosting, Share } from './ledger/ledger.ts';
import { bookableFrom, insufficientBalance, ledgerWrites, mayGetShares, refusedPosting } from './ledger/ledger.ts';
import { sharesFor } from './ledger/shards.ts';
import type { Item, Store, Write } from './table/store.ts';
import { CorruptItem, StoreUnavailable } from './table/store.ts';

/** Writes that one transaction can have. */
const mostWrites = 100;

/** Entities, and everything that is committed with them, in one transaction of at most 100 writes. */
export type Change = {
  readonly companyId: string;
  /** The machine's time: idempotency keys and deliveries follow real time, whatever a company's clock shows. */
  readonly at: Instant;
  readonly idempotency?: IdempotencyClaim;
  readonly unique?: ExternalIdClaim;
  readonly ledger?: readonly LedgerPosting[];
  /** `SHED`: a balance that others keep changing is given up early, because a caller waits. */
  readonly onContention?: 'SHED';
  readonly writes: readonly Write[];
  readonly notifications?: readonly OutboxEntry[];
};

/** A notification that is not committed yet. The commit creates its delivery. */
export type OutboxEntry = Omit<Notification, 'createdAt'>;

/**
 * The result of a commit. The first failed condition in this order decides: the idempotency key was used (`REPLAY`),
 * the external id is taken (`ALREADY_EXISTS`), an entity changed meanwhile (`CONFLICT`), the balance refuses a ledger
 * entry (`BALANCE`). `CONFLICT` comes before `BALANCE`, because the other change may have taken the money.
 */
type CommitResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly because: 'REPLAY'; readonly record: IdempotencyRecord }
  | { readonly ok: false; readonly because: 'ALREADY_EXISTS' | 'CONFLICT' }
  | { readonly ok: false; readonly because: 'BALANCE'; readonly error: RequestError };

type Part =
  | { readonly role: 'idempotency' | 'unique' | 'entity'; readonly write: Write }
  | { readonly role: 'balance' | 'giver'; readonly write: Write; readonly posting: LedgerPosting };

/** Tries to book a change, while other changes book on its account, before it is decided again. */
const mostBookings = 10;

/**
 * Writes a change in one transaction. Ledger entries of a shard follow each other in time: a retry takes the current
 * time, or the time after the shard's last entry. A shard that is short of money gets what is missing from the other
 * shards of its account. @throws StoreUnavailable; ItemContended
 */
export async function commit(
  store: Store,
  change: Change,
  elapsedMs: () => number = () => performance.now(),
): Promise<CommitResult> {
  let ledger = change.ledger ?? [];
  let parts: readonly Part[] = [];
  let bookedMs = 0;
  const book = (postings: readonly LedgerPosting[]): readonly Write[] => {
    ledger = postings;
    parts = partsOf(change, postings);
    bookedMs = elapsedMs();
    return parts.map(({ write }) => write);
  };
  const passedMs = (): number => Math.round(elapsedMs() - bookedMs);
  const renewed = (): readonly Write[] => book(bookedLater(ledger, passedMs()));
  for (let bookings = 1; ; bookings += 1) {
    const writes = book(ledger);
    const shards = parts.flatMap(({ role }, index) => (role === 'balance' || role === 'giver' ? [index] : []));
    const outcome = await store.write(writes, crypto.randomUUID(), {
      ...(ledger.length > 0 && { renewed }),
      ...(change.onContention === 'SHED' && { contended: shards }),
    });
    if (outcome.ok) return outcome;
    const failures = outcome.failed.flatMap(({ index, item }) => {
      const part = parts[index];
      return part === undefined ? [] : [{ part, item }];
    });
    const remedies = remediesOf(failures);
    if (remedies === undefined) return outcomeOf(failures, change.at);
    if (bookings === mostBookings) return { ok: false, because: 'CONFLICT' };
    const room = mostWrites - parts.filter(({ role }) => role !== 'giver').length;
    const from = await sharesOf(store, change.companyId, remedies.short, room);
    if (from === undefined) return { ok: false, because: 'BALANCE', error: insufficientBalance() };
    ledger = bookedLater(ledger, passedMs(), { ...remedies, from });
  }
}

type Failure = { readonly part: Part; readonly item: Item | undefined };

/** `free`: the earliest times of postings that were too early. `short`: postings whose shards are short of money. */
type Remedies = { readonly free: ReadonlyMap<LedgerPosting, Instant>; readonly short: ReadonlySet<LedgerPosting> };

/** Returns what lets the postings be booked; undefined if any other condition failed. */
function remediesOf(failures: readonly Failure[]): Remedies | undefined {
  const free = new Map<LedgerPosting, Instant>();
  const short = new Set<LedgerPosting>();
  for (const { part, item } of failures) {
    if (part.role !== 'balance' && part.role !== 'giver') return undefined;
    const { role, posting } = part;
    const from = bookableFrom(posting, item);
    if (from !== undefined) free.set(posting, later(from, free.get(posting)));
    else if (role === 'giver' || mayGetShares(posting, item)) short.add(posting);
    else return undefined;
  }
  return { free, short };
}

/** Returns what other shards give to each posting that is short; undefined if an account has not enough money. */
async function sharesOf(
  store: Store,
  companyId: string,
  short: Remedies['short'],
  room: number,
): Promise<ReadonlyMap<LedgerPosting, readonly Share[]> | undefined> {
  const all = new Map<LedgerPosting, readonly Share[]>();
  for (const posting of short) {
    const shares = await sharesFor(store, companyId, posting, room);
    if (shares === undefined) return undefined;
    all.set(posting, shares);
  }
  return all;
}

function bookedLater(
  ledger: readonly LedgerPosting[],
  passedMs: number,
  more?: Pick<Remedies, 'free'> & { readonly from: ReadonlyMap<LedgerPosting, readonly Share[]> },
): readonly LedgerPosting[] {
  return ledger.map((posting) => {
    const from = more?.from.get(posting);
    const at = later(plusMilliseconds(posting.at, passedMs), more?.free.get(posting));
    return { ...posting, at, ...(from !== undefined && { from }) };
  });
}

function later(time: Instant, other = time): Instant {
  return other > time ? other : time;
}

function partsOf(change: Change, ledger: readonly LedgerPosting[]): readonly Part[] {
  const { companyId, at, idempotency, unique, writes, notifications = [] } = change;
  const entity = (write: Write): Part => ({ role: 'entity', write });
  return [
    ...(idempotency ? [{ role: 'idempotency', write: idempotencyInsert(companyId, idempotency, at) } as const] : []),
    ...(unique ? [{ role: 'unique', write: uniqueInsert(companyId, unique) } as const] : []),
    ...ledger.flatMap((posting): readonly Part[] => {
      const [shard, entry, ...givers] = ledgerWrites(companyId, posting);
      const giving = givers.map((write): Part => ({ role: 'giver', write, posting }));
      return [{ role: 'balance', write: shard, posting }, entity(entry), ...giving];
    }),
    ...writes.map(entity),
    ...notifications.flatMap((entry) => deliveryInserts(companyId, { ...entry, createdAt: at })).map(entity),
  ];
}

function outcomeOf(failures: readonly Failure[], at: Instant): CommitResult {
  const used = failures.find(({ part }) => part.role === 'idempotency');
  // This change itself may have written the key in an earlier try: the response is built from the stored record.
  if (used !== undefined) return { ok: false, because: 'REPLAY', record: requireRecord(used.item, at) };
  if (failures.some(({ part }) => part.role === 'unique')) return { ok: false, because: 'ALREADY_EXISTS' };
  if (failures.some(({ part }) => part.role === 'entity')) return { ok: false, because: 'CONFLICT' };
  for (const { part, item } of failures)
    if (part.role === 'balance' && bookableFrom(part.posting, item) === undefined)
      return { ok: false, because: 'BALANCE', error: refusedPosting(part.posting, item) };
  throw new Error('A transaction failed without a failed condition.');
}

/** The condition failed, so the key is there and has not expired. */
function requireRecord(item: Item | undefined, at: Instant): IdempotencyRecord {
  const record = parseIdempotency(item, at);
  if (record === undefined) throw new CorruptItem('A used idempotency key has no record.');
  return record;
}

export type RetryPolicy = {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly elapsedMs: () => number;
  /** No further try begins later than this after the first one: the caller's function must be able to end. */
  readonly retryForMs: number;
};

const defaultRetryPolicy: RetryPolicy = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
  elapsedMs: () => performance.now(),
  retryForMs: 6000,
};
/** Twice the time of a read and a write: the pauses of a few callers hardly overlap. */
const firstPauseMs = 20;
const longestPauseMs = 640;

/**
 * Repeats `attempt` after each conflict (undefined), with exponential backoff and full jitter. One of several
 * concurrent attempts commits, so that all commit one after another.
 * @throws StoreUnavailable for a conflict that outlasts the retries: nothing was written.
 */
export async function untilCommitted<T>(
  attempt: () => Promise<T | undefined>,
  { sleep, random, elapsedMs, retryForMs }: RetryPolicy = defaultRetryPolicy,
): Promise<T> {
  const endMs = elapsedMs() + retryForMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (elapsedMs() >= endMs)
      throw new StoreUnavailable('Cannot change the resource: other requests changed it during every try.');
    await sleep(random() * pauseMs);
  }
}
