import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { redrive, reenqueueOverdue } from '../deliveries/states.ts';
import type { BacklogDeps } from '../backlog/deferred.ts';
import { advanceBacklog } from '../backlog/advance.ts';
import { resendDeliveries } from '../deliveries/resend.ts';
import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { isTimeUp, workDue } from '#shared/platform/jobs/work-due.ts';
import { readDelivery, writeDispatch } from '../deliveries/store.ts';
import type { DueWork } from '#shared/platform/jobs/due.ts';
import { dueEverywhere } from '#shared/platform/jobs/due.ts';
import { parseBacklogName } from '#shared/platform/outbox/delivery.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import type { DeliveryMessage } from './queue.ts';
import { parseDeliveryMessage } from './queue.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';

export type SweepDeps = DueRun &
  BacklogDeps & {
    readonly deadLetters: DeadLetterQueue;
    /** Seconds that a delivery must be overdue. */
    readonly graceSeconds: number;
  };

type SweepCount = {
  readonly sentAgain: number;
  readonly deadLettersRemoved: number;
  /** Errors outside any piece of due work. */
  readonly failed: number;
  /** Deliveries of the partners' resends. */
  readonly resent: number;
  readonly due: Readonly<Record<'DELIVERY' | 'BACKLOG' | 'DELIVERY_RESEND', DueCount>>;
};

/** Deliveries of one company in one run: it bounds the rate into the queue. */
const maxOverdue = 500;
/** Steps of one backlog in one run. A release continues by itself; deliveries become `HELD` page by page. */
const maxSteps = 40;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';
/** A run reads the dead letters after a re-drive, and this often in any case. */
const deadLettersEveryMinutes = 10;
/** With less time left it reads no further page: a hanging queue takes five seconds. */
const deadLettersEndAtMs = 8000;

/**
 * Re-drives overdue deliveries, advances backlogs that stand still, continues the partners' resends, and removes stale
 * dead letters. Its cost follows what is due. With `redriving` it re-drives every pending delivery at once: after a
 * start, when all workers are dead and the content of the queue is unknown.
 */
export async function sweep(deps: SweepDeps, { redriving }: { readonly redriving: boolean }): Promise<SweepCount> {
  const count = { sentAgain: 0, deadLettersRemoved: 0, resent: 0, failed: 0 };
  const startedAt = deps.now();
  const overdue = redriving
    ? { found: everyDue(deps, 'DELIVERY'), perCompany: Infinity }
    : { until: plusSeconds(startedAt, -deps.graceSeconds), perCompany: maxOverdue };
  const [sent, backlogs, resends] = await Promise.all([
    workDue(deps, { kind: 'DELIVERY', ...overdue }, async (one) => {
      if (await sendAgain(one, redriving, deps)) count.sentAgain += 1;
    }),
    workDue(deps, { kind: 'BACKLOG', ...(redriving && { found: everyDue(deps, 'BACKLOG') }) }, (one) =>
      goOn(one, deps),
    ),
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

/** Newest first: a re-drive moves a delivery to a later part of the index, which is read by then. */
function everyDue(
  { store, random, failed }: DueRun,
  kind: 'DELIVERY' | 'BACKLOG',
): AsyncGenerator<DueWork, void, void> {
  const lost = (error: unknown): void => {
    failed({ kind }, error);
  };
  return dueEverywhere(store, kind, endOfTime, { random, lost, order: 'NEWEST_FIRST' });
}

/** The index lags: the delivery itself says whether it is overdue. */
async function sendAgain({ companyId, id }: DueWork, redriving: boolean, deps: SweepDeps): Promise<boolean> {
  const { store, newId } = deps;
  const present = await readDelivery(store, companyId, id);
  if (present === undefined) return false;
  const at = deps.now();
  const delivery = redriving ? redrive(present, at) : reenqueueOverdue(present, at, deps.graceSeconds);
  if (delivery === undefined) return false;
  const { nextAttemptAt = at } = delivery;
  return (await writeDispatch(store, { delivery, notBefore: nextAttemptAt, at, token: newId() })).ok;
}

async function goOn({ companyId, id }: DueWork, deps: SweepDeps): Promise<void> {
  const name = parseBacklogName(id);
  for (let steps = 0; name !== undefined && steps < maxSteps && !isTimeUp(deps); steps += 1)
    if (!(await advanceBacklog(deps, { companyId, name }))) return;
}

export type DeadLetterMessage = { readonly id: string; readonly body: string; readonly receiptHandle: string };

/** The dead-letter queue. It hides a received message for a moment. */
export type DeadLetterQueue = {
  readonly receive: () => Promise<readonly DeadLetterMessage[]>;
  readonly remove: (deadLetter: DeadLetterMessage) => Promise<void>;
};

/** Dead letters of one run. */
const maxDeadLetters = 100;

/**
 * Removes stale dead letters: each `FAILED` delivery keeps exactly one, no other keeps any. An invalid dead letter, or
 * one of an unknown delivery, stays for the operator.
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
    for (const deadLetter of await staleAmong(store, batch)) {
      await deadLetters.remove(deadLetter);
      removed += 1;
    }
  }
  return removed;
}

async function staleAmong(
  store: Store,
  deadLetters: readonly DeadLetterMessage[],
): Promise<readonly DeadLetterMessage[]> {
  const read = deadLetters.flatMap((deadLetter) => {
    const message = parseDeliveryMessage(deadLetter.body);
    return message === undefined ? [] : [{ deadLetter, message }];
  });
  const wanted = new Map(
    read.map(({ message: { companyId, deliveryId } }) => [deliveryId, keys.delivery(companyId, deliveryId)]),
  );
  const items = await store.read([...wanted.values()]);
  const deliveries = items.flatMap((item) => (item === undefined ? [] : [parseDelivery(item)]));
  const stale = read.filter(({ deadLetter, message }) =>
    deliveries.some((delivery) => delivery.id === message.deliveryId && isStale(deadLetter.id, message, delivery)),
  );
  return stale.map(({ deadLetter }) => deadLetter);
}

/**
 * A `FAILED` delivery keeps the dead letter of its last message, whose id SQS keeps. A `PENDING` one keeps that of its
 * present dispatch, until the sweep dispatches it again or it fails.
 */
function isStale(id: string, message: DeliveryMessage, { status, dispatch, messageId }: Delivery): boolean {
  if (message.dispatch !== dispatch || status === 'DELIVERED' || status === 'HELD') return true;
  return status === 'FAILED' && messageId !== undefined && messageId !== id;
}
