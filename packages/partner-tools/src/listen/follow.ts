import { setTimeout as sleep } from 'node:timers/promises';
import { retryDelaySeconds } from '#shared/webhooks/deliveries/states.ts';
import type { PostOutcome } from '../receiver/post.ts';
import type { Cursor, Open } from './cursor.ts';
import { finish, notice, postpone } from './cursor.ts';
import type { DeliveryLog } from './delivery-log.ts';

/** The service's waits before attempts 2 to 5, seconds, and its time for a call (docs/webhooks.md). */
export const promised = { delaysSeconds: [60, 300, 900, 1800], withinMs: 10_000 } as const;

/** Largest number of concurrent calls: a call that hangs does not stop the others. */
const callsAtOnce = 4;

/** Limits concurrent calls to those that a listener may run; further calls wait for their turn. */
export function inTurn<A extends readonly unknown[], T>(call: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async (...args) => {
    if (underWay >= callsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await call(...args);
    } finally {
      const next = waiting.shift();
      // The next waiting call takes this slot.
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}

type Following = {
  readonly log: Pick<DeliveryLog, 'listAfter'>;
  /** Whether new notifications of an event are skipped: done without a call. */
  readonly leaveOut?: (event: string) => boolean;
  /** Sends one notification as the service does. */
  readonly call: (delivery: Open) => Promise<PostOutcome>;
  /** Stores the cursor; it is on disk when this returns. */
  readonly keep: (cursor: Cursor) => void;
  readonly report: (delivery: Open, outcome: PostOutcome, next: 'taken' | 'failed' | number) => void;
  /** Waits before attempts 2, 3, …, seconds. */
  readonly delaysSeconds: readonly number[];
  readonly pollMs: number;
  readonly signal: AbortSignal;
};

/**
 * Forwards each notification until it is acknowledged or all attempts have failed. Ends when the signal aborts. The
 * outcome of a call is stored before the next call in its slot begins, so that a crash repeats only the calls under
 * way.
 */
export async function follow(begin: Cursor, following: Following): Promise<void> {
  const { log, keep, pollMs, signal, leaveOut = () => false } = following;
  let cursor = begin;
  const change = (changed: Cursor): void => {
    if (changed === cursor) return;
    cursor = changed;
    keep(cursor);
  };
  const underWay = new Map<string, Promise<void>>();
  const broken = createFailure();
  const isFree = ({ id, dueAt }: Open): boolean => dueAt <= Date.now() && !underWay.has(id);
  const begins = (): void => {
    for (const delivery of cursor.open.filter(isFree)) {
      if (signal.aborted || underWay.size >= callsAtOnce) return;
      const ends = attempt(delivery, following, (next) => {
        change(next(cursor));
      }).then(() => {
        underWay.delete(delivery.id);
        begins();
      }, broken.reject);
      underWay.set(delivery.id, ends);
    }
  };
  keep(cursor);
  while (!signal.aborted) {
    const listed = await log.listAfter(cursor.from);
    // Calls may have changed the cursor while the log was read.
    change(notice(cursor, listed, Date.now()));
    for (const { id, event } of cursor.open) if (leaveOut(event)) change(finish(cursor, id));
    begins();
    await Promise.race([broken.promise, sleep(pollMs, undefined, { signal }).catch(() => undefined)]);
  }
  await Promise.race([broken.promise, Promise.all(underWay.values())]);
}

/** A promise that only fails, and the function that fails it. `Promise.withResolvers` is newer than Node 20. */
function createFailure() {
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<never>((_resolve, fail) => {
    reject = fail;
  });
  return { promise, reject };
}

async function attempt(
  delivery: Open,
  { call, report, delaysSeconds }: Following,
  change: (next: (cursor: Cursor) => Cursor) => void,
): Promise<void> {
  const outcome = await call(delivery);
  const failures = delivery.failures + 1;
  if (outcome.taken || failures > delaysSeconds.length) {
    change((cursor) => finish(cursor, delivery.id));
    report(delivery, outcome, outcome.taken ? 'taken' : 'failed');
    return;
  }
  const seconds = retryDelaySeconds(delaysSeconds, failures, Math.random());
  change((cursor) => postpone(cursor, delivery.id, Date.now() + seconds * 1000));
  report(delivery, outcome, seconds);
}
