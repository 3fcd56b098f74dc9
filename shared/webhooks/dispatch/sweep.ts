import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { redrive, reenqueueOverdue } from '../deliveries/states.ts';
import { drainNext } from '../health/health.ts';
import { changeHealth, drainDueAt, readHealth } from '../health/store.ts';
import { resendDeliveries } from '../deliveries/resend.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { isTimeUp, workDue } from '#shared/platform/jobs/work-due.ts';
import { readDeliveries, readDelivery, writeDispatch } from '../deliveries/store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueEverywhere } from '#shared/platform/jobs/due.ts';
import { parseDeliveryMessage } from './queue.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type SweepDeps = DueRun & {
  readonly newId: () => string;
  readonly deadLetters: DeadLetterQueue;
  /** Seconds that a delivery must be overdue. */
  readonly graceSeconds: number;
};

/** `failed`: errors outside any piece of due work. `resent`: deliveries of the partners' resends. */
type SweepCount = Readonly<Record<'sentAgain' | 'deadLettersRemoved' | 'failed' | 'resent', number>> & {
  readonly due: Readonly<Record<'DELIVERY' | 'BACKLOG' | 'DELIVERY_RESEND', DueCount>>;
};

/** Deliveries of one company in one run: it bounds the rate into the queue. */
const maxOverdue = 500;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';
/** A run reads the dead letters if it sent a delivery again, and in every tenth minute in any case. */
const deadLettersEveryMinutes = 10;
/** With fewer milliseconds left a run receives no further dead letters: a queue that hangs takes five seconds. */
const deadLettersEndAtMs = 8000;

/**
 * Re-drives overdue deliveries, requests again drains that did not begin or whose worker died, continues the partners'
 * resends, and removes stale dead letters. Its cost grows only with the due work. With `redriving` it re-drives every
 * pending delivery immediately: after a start, when all workers are dead and the content of the queue is unknown.
 */
export async function sweep(deps: SweepDeps, { redriving }: { readonly redriving: boolean }): Promise<SweepCount> {
  const count = { sentAgain: 0, deadLettersRemoved: 0, resent: 0, failed: 0 };
  const startedAt = deps.now();
  const until = plusSeconds(startedAt, redriving ? 0 : -deps.graceSeconds);
  const optionsFor = (kind: 'DELIVERY' | 'BACKLOG') => {
    if (!redriving) return { kind };
    const lost = (error: unknown): void => {
      deps.failed({ kind }, error);
    };
    // Newest first: a re-drive moves a delivery to a later part of the index, which was read before.
    const found = dueEverywhere(deps.store, kind, endOfTime, { random: deps.random, lost, order: 'NEWEST_FIRST' });
    return { kind, found, perCompany: Infinity };
  };
  const [sent, backlogs, resends] = await Promise.all([
    workDue(deps, { until, perCompany: maxOverdue, ...optionsFor('DELIVERY') }, async (item) => {
      if (await sendAgain(item, redriving ? startedAt : undefined, deps)) count.sentAgain += 1;
    }),
    workDue(deps, optionsFor('BACKLOG'), (item) => drainAgain(item, redriving, deps)),
    workDue(deps, { kind: 'DELIVERY_RESEND' }, async ({ companyId, id }) => {
      const resent = await resendDeliveries({ ...deps, mayGoOn: () => !isTimeUp(deps) }, companyId, id);
      count.resent += resent;
    }),
  ]);
  const isMinuteOfDeadLetters = Number(startedAt.slice(14, 16)) % deadLettersEveryMinutes === 0;
  if (count.sentAgain > 0 || isMinuteOfDeadLetters)
    try {
      const isOver = (): boolean => deps.remainingMs() < deadLettersEndAtMs;
      count.deadLettersRemoved = await removeStaleDeadLetters(deps.store, deps.deadLetters, isOver);
    } catch (error) {
      count.failed += 1;
      deps.failed({}, error);
    }
  return { ...count, due: { DELIVERY: sent, BACKLOG: backlogs, DELIVERY_RESEND: resends } };
}

/** The index lags: the delivery itself says whether it is overdue. */
async function sendAgain(item: DueWork, redrivenAt: Instant | undefined, deps: SweepDeps): Promise<boolean> {
  const { store, graceSeconds, newId } = deps;
  const current = await readDelivery(store, item.companyId, item.id);
  const at = deps.now();
  const delivery =
    current && (redrivenAt ? redrive(current, at, redrivenAt) : reenqueueOverdue(current, at, graceSeconds));
  if (delivery === undefined) return false;
  const { nextAttemptAt: notBefore = at } = delivery;
  return (await writeDispatch(store, { delivery, notBefore, at, token: newId() })).ok;
}

/** The index lags: the health itself says whether its drain is overdue. */
async function drainAgain({ companyId }: DueWork, redriving: boolean, deps: SweepDeps): Promise<void> {
  await changeHealth(deps, await readHealth(deps.store, companyId), (health, now) => {
    const dueAt = drainDueAt(health);
    return dueAt !== undefined && (redriving || dueAt <= now) ? drainNext(health, now) : health;
  });
}

export type DeadLetterMessage = { readonly id: string; readonly body: string; readonly receiptHandle: string };

/** The dead-letter queue. It hides a received message for a moment. */
export type DeadLetterQueue = {
  readonly receive: () => Promise<readonly DeadLetterMessage[]>;
  readonly remove: (deadLetter: DeadLetterMessage) => Promise<void>;
};

/** Limit of dead letters that one run receives: high, because a run must reach stale ones behind those that stay. */
const maxDeadLetters = 1000;

/**
 * Removes stale dead letters. A `FAILED` delivery keeps that of its last message, a `PENDING` one that of its current
 * dispatch. An invalid dead letter, or one of an unknown delivery, stays for the operator. One read for each receive.
 * @returns how many it removed
 */
export async function removeStaleDeadLetters(
  store: Store,
  deadLetters: DeadLetterQueue,
  isTimeUp: () => boolean = () => false,
): Promise<number> {
  const seen = new Set<string>();
  let removed = 0;
  while (seen.size < maxDeadLetters && !isTimeUp()) {
    const batch = (await deadLetters.receive()).filter(({ id }) => !seen.has(id));
    if (batch.length === 0) break;
    for (const { id } of batch) seen.add(id);
    for (const deadLetter of await staleOf(store, batch)) {
      await deadLetters.remove(deadLetter);
      removed += 1;
    }
  }
  return removed;
}

/** Returns the stale dead letters of a receive, after one read of their deliveries. */
async function staleOf(store: Store, batch: readonly DeadLetterMessage[]): Promise<readonly DeadLetterMessage[]> {
  const known = batch.flatMap((letter) => {
    const message = parseDeliveryMessage(letter.body);
    return message === undefined ? [] : [{ letter, message }];
  });
  if (known.length === 0) return [];
  const messages = known.map(({ message }) => message);
  const deliveries = await readDeliveries(store, messages);
  return known.flatMap(({ letter, message }) => {
    const delivery = deliveries.get(message.deliveryId);
    return delivery !== undefined && isStale(delivery, message.dispatch, letter.id) ? [letter] : [];
  });
}

/**
 * A `FAILED` delivery keeps the dead letter of its last message: SQS does not change the id of a message that becomes a
 * dead letter. A `PENDING` one keeps that of its current dispatch, until the sweep dispatches it again or it fails.
 */
function isStale({ status, dispatch, messageId }: Delivery, dispatchOfLetter: number, id: string): boolean {
  if (dispatchOfLetter !== dispatch || status === 'DELIVERED' || status === 'HELD') return true;
  return status === 'FAILED' && messageId !== undefined && messageId !== id;
}
