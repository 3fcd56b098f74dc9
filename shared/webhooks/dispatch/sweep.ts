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
    /** How long a delivery must be overdue, seconds. */
    readonly graceSeconds: number;
  };

type SweepCount = {
  readonly sentAgain: number;
  readonly deadLettersRemoved: number;
  /** Failures that belong to no piece of due work. */
  readonly failed: number;
  /** Deliveries that partners asked to have sent again. */
  readonly resent: number;
  readonly due: Readonly<Record<'DELIVERY' | 'BACKLOG' | 'DELIVERY_RESEND', DueCount>>;
};

/** Deliveries of one company in one run: the queue is filled at a bounded pace. */
const maxOverdue = 500;
/**
 * Steps of one backlog in one run: after the first the backlog goes on by itself, but deliveries are held page by page.
 */
const maxSteps = 40;
const endOfTime: Instant = '9999-12-31T23:59:59.999Z';
/** Dead letters are read when something was sent again, and this often in any case. */
const deadLettersEveryMinutes = 10;
/** No further page of them is read with less time left than this: a queue that hangs takes five seconds. */
const deadLettersEndAtMs = 8000;

/**
 * Sends again the deliveries that no message carries any more, advances backlogs that stand still, works off the
 * resends that partners asked for, and removes stale dead letters. Cost follows what is due.
 *
 * With `redriving` every pending delivery of every company is sent again at once: after a start, when all workers are
 * dead and the queue's content is unknown.
 */
export async function sweep(deps: SweepDeps, { redriving }: { readonly redriving: boolean }): Promise<SweepCount> {
  const count = { sentAgain: 0, deadLettersRemoved: 0, resent: 0, failed: 0 };
  const mayGoOn = (): boolean => !isTimeUp(deps);
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
      const resent = await resendDeliveries({ ...deps, mayGoOn }, companyId, id);
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

/** Newest first: work moves a delivery to a later part of the index, which is read by then. */
function everyDue(
  { store, random, failed }: DueRun,
  kind: 'DELIVERY' | 'BACKLOG',
): AsyncGenerator<DueWork, void, void> {
  const lost = (error: unknown): void => {
    failed({ kind }, error);
  };
  return dueEverywhere(store, kind, endOfTime, { random, lost, order: 'NEWEST_FIRST' });
}

/** The index is read with a delay: the delivery itself says whether it is overdue. */
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

/** The dead-letter queue. What is received is hidden for a moment and shown again, unless it is removed. */
export type DeadLetterQueue = {
  readonly receive: () => Promise<readonly DeadLetterMessage[]>;
  readonly remove: (deadLetter: DeadLetterMessage) => Promise<void>;
};

/** Letters read in one run; the rest waits for the next. */
const maxDeadLetters = 100;

/**
 * Removes the deadLetters that no failed delivery needs, so that each delivery that failed has exactly one and no other
 * has any. A deadLetter whose delivery is unknown, or that cannot be read, is left to the operator.
 *
 * @returns how many were removed
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
  const wanted = new Map(read.map(({ message }) => [message.deliveryId, keyOf(message)]));
  const items = await store.read([...wanted.values()]);
  const places = new Map([...wanted.keys()].map((id, place) => [id, items[place]]));
  return read
    .filter(({ deadLetter, message }) => {
      const item = places.get(message.deliveryId);
      return item !== undefined && isStale(deadLetter.id, message, parseDelivery(item));
    })
    .map(({ deadLetter }) => deadLetter);
}

/**
 * A delivery that failed keeps the dead letter of the message that carried it to its end (SQS keeps a message's id when
 * it moves it). One that is pending keeps the dead letter of its present dispatch, until it is sent again or fails.
 */
function isStale(id: string, message: DeliveryMessage, { status, dispatch, messageId }: Delivery): boolean {
  if (message.dispatch !== dispatch || status === 'DELIVERED' || status === 'HELD') return true;
  return status === 'FAILED' && messageId !== undefined && messageId !== id;
}

function keyOf({ companyId, deliveryId }: DeliveryMessage): { PK: string; SK: string } {
  return keys.delivery(companyId, deliveryId);
}
