import { setTimeout as sleep } from 'node:timers/promises';
import { retryDelaySeconds } from '#shared/webhooks/deliveries/states.ts';
import type { PostOutcome } from '../receiver/post.ts';
import type { Cursor, Open } from './cursor.ts';
import { finish, notice, postpone } from './cursor.ts';
import type { DeliveryLog } from './delivery-log.ts';

/** The service's waits before attempts 2 to 5, seconds, and its time for a call (docs/webhooks.md). */
export const promised = { delaysSeconds: [60, 300, 900, 1800], withinMs: 10_000 } as const;

/** Concurrent calls: one that hangs does not stop the others. */
const callsAtOnce = 4;

type Following = {
  readonly log: Pick<DeliveryLog, 'listAfter'>;
  /** Sends one notification as the service does. */
  readonly call: (one: Open) => Promise<PostOutcome>;
  /** Keeps the cursor; on disk when it returns. */
  readonly keep: (cursor: Cursor) => void;
  readonly tell: (one: Open, outcome: PostOutcome, next: 'taken' | 'failed' | number) => void;
  /** Waits before attempts 2, 3, …, seconds. */
  readonly delaysSeconds: readonly number[];
  readonly pollMs: number;
  readonly signal: AbortSignal;
};

/**
 * Forwards each notification until it is acknowledged or all attempts failed; ends by the signal. The outcome of a call
 * is stored before the next one begins: a crash repeats only the calls under way.
 */
export async function follow(begin: Cursor, following: Following): Promise<void> {
  const { log, keep, pollMs, signal } = following;
  let cursor = begin;
  const change = (changed: Cursor): void => {
    if (changed === cursor) return;
    cursor = changed;
    keep(cursor);
  };
  const underWay = new Map<string, Promise<void>>();
  const broken = Promise.withResolvers<never>();
  const isFree = ({ id, dueAt }: Open): boolean => dueAt <= Date.now() && !underWay.has(id);
  const begins = (): void => {
    for (const one of cursor.open.filter(isFree)) {
      if (signal.aborted || underWay.size >= callsAtOnce) return;
      const ends = attempt(one, following, (next) => {
        change(next(cursor));
      }).then(() => {
        underWay.delete(one.id);
        begins();
      }, broken.reject);
      underWay.set(one.id, ends);
    }
  };
  keep(cursor);
  while (!signal.aborted) {
    const listed = await log.listAfter(cursor.from);
    // Calls may have moved the cursor while the log was read.
    change(notice(cursor, listed, Date.now()));
    begins();
    await Promise.race([broken.promise, sleep(pollMs, undefined, { signal }).catch(() => undefined)]);
  }
  await Promise.race([broken.promise, Promise.all(underWay.values())]);
}

async function attempt(
  one: Open,
  { call, tell, delaysSeconds }: Following,
  change: (next: (cursor: Cursor) => Cursor) => void,
): Promise<void> {
  const outcome = await call(one);
  const failures = one.failures + 1;
  if (outcome.taken || failures > delaysSeconds.length) {
    change((cursor) => finish(cursor, one.id));
    tell(one, outcome, outcome.taken ? 'taken' : 'failed');
    return;
  }
  const seconds = retryDelaySeconds(delaysSeconds, failures, Math.random());
  change((cursor) => postpone(cursor, one.id, Date.now() + seconds * 1000));
  tell(one, outcome, seconds);
}
