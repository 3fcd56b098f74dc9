import type { Instant } from '#shared/core/brasilia-time.ts';
import { redrive, reenqueueOverdue } from '../deliveries/states.ts';
import { drainNext } from '../health/health.ts';
import { changeHealth, drainDueAt, readHealth } from '../health/store.ts';
import { resendDeliveries } from '../deliveries/resend.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { DueMessage, EnqueueOptions } from '#shared/platform/jobs/due-queue.ts';
import type { JobDone } from '#shared/platform/jobs/due-worker.ts';
import type { DueRun } from '#shared/platform/jobs/run.ts';
import { isTimeUp } from '#shared/platform/jobs/run.ts';
import { readDeliveries, readDelivery, writeDispatch } from '../deliveries/store.ts';
import { parseDeliveryMessage } from './queue.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type SweepDeps = Pick<DueRun, 'store' | 'now' | 'remainingMs'> & {
  readonly newId: () => string;
  /** Seconds that a delivery must be overdue. */
  readonly graceSeconds: number;
};

/** Returns which jobs a run queues. With `redriveAt` every pending delivery and drain, whatever its time. */
export function sweepOptions(graceSeconds: number, redriveAt?: Instant): EnqueueOptions {
  const graces = { graceSeconds: { DELIVERY: graceSeconds } };
  return redriveAt === undefined ? graces : { ...graces, redrive: { kinds: ['DELIVERY', 'BACKLOG'], at: redriveAt } };
}

/** A run removes stale dead letters after it has queued jobs, and in every tenth minute in any case. */
const deadLettersEveryMinutes = 10;
/** With fewer milliseconds left a run receives no further dead letters: a queue that hangs takes five seconds. */
const deadLettersEndAtMs = 8000;

/** Whether a run at this time, which queued so many jobs, removes stale dead letters. */
export function looksAtDeadLetters(at: Instant, queued: number): boolean {
  return queued > 0 || Number(at.slice(14, 16)) % deadLettersEveryMinutes === 0;
}

/**
 * Does one job of the sweep: re-drives an overdue delivery, requests again a drain that did not begin or whose worker
 * died, or continues a partner's resend. With `redrivenAt` it re-drives a pending delivery whatever its time: after a
 * start, when all workers are dead and the content of the queue is unknown.
 */
export async function sweepOne(deps: SweepDeps, job: DueMessage): Promise<JobDone> {
  const { kind, companyId, id, redrivenAt } = job;
  if (kind === 'DELIVERY') return (await sendAgain(job, deps)) ? { counts: { DeliveriesSentAgain: 1 } } : {};
  if (kind === 'DELIVERY_RESEND') {
    const resent = await resendDeliveries({ ...deps, mayGoOn: () => !isTimeUp(deps) }, companyId, id);
    return { counts: { DeliveriesResent: resent } };
  }
  await drainAgain(companyId, redrivenAt !== undefined, deps);
  return {};
}

/** The index lags: the delivery itself says whether it is overdue. */
async function sendAgain({ companyId, id, redrivenAt }: DueMessage, deps: SweepDeps): Promise<boolean> {
  const { store, graceSeconds, newId } = deps;
  const current = await readDelivery(store, companyId, id);
  const at = deps.now();
  const delivery =
    current && (redrivenAt ? redrive(current, at, redrivenAt) : reenqueueOverdue(current, at, graceSeconds));
  if (delivery === undefined) return false;
  const { nextAttemptAt: notBefore = at } = delivery;
  return (await writeDispatch(store, { delivery, notBefore, at, token: newId() })).ok;
}

/** The index lags: the health itself says whether its drain is overdue. */
async function drainAgain(companyId: string, redriving: boolean, deps: SweepDeps): Promise<void> {
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
  { store, remainingMs }: Pick<DueRun, 'store' | 'remainingMs'>,
  deadLetters: DeadLetterQueue,
): Promise<number> {
  const seen = new Set<string>();
  let removed = 0;
  while (seen.size < maxDeadLetters && remainingMs() >= deadLettersEndAtMs) {
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
