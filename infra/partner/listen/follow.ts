import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { retryDelaySeconds } from '#shared/webhooks/deliveries/retry-schedule.ts';
import { ToolFailure } from '../command-line.ts';
import type { PostOutcome } from '../receiver/post.ts';
import { replaceFile } from '../sandbox.ts';
import type { DeliveryLog } from './delivery-log.ts';

const Seen = z.strictObject({ id: z.string(), createdAt: z.string() });
const Open = Seen.extend({
  event: z.string(),
  /** Calls that failed so far. */
  failures: z.int(),
  /** Epoch milliseconds of this machine before which it is not tried. */
  dueAt: z.number(),
});

/**
 * How far a listener has come. A notification is `open` until it was taken or is given up; then it is `done` for as
 * long as it would be listed again, because it was created after `from`. An empty `from` is the beginning of the log.
 */
const Cursor = z.strictObject({ from: z.string(), open: z.array(Open), done: z.array(Seen) });

export type Open = z.infer<typeof Open>;
export type Cursor = z.infer<typeof Cursor>;
/** What the log says of a notification. */
export type Listed = Pick<Open, 'id' | 'createdAt' | 'event'>;

/**
 * How long after its creation a notification may appear in the log, seconds: a transaction that is tried again, an
 * index that lags. The log is read again from that long before the newest one: the clock of this machine decides
 * nothing.
 */
export const readAgainSeconds = 120;

/** A listener that begins after a moment. */
export function beginAfter(from: Instant): Cursor {
  return { from, open: [], done: [] };
}

/** Begins with what comes after the newest one: everything that is listed within the overlap before it is done. */
export function beginAfterAll(listed: readonly Listed[]): Cursor {
  const done = listed.map(({ id, createdAt }) => ({ id, createdAt }));
  return forgetFinished({ from: '', open: [], done });
}

/**
 * Takes in what the log lists: what is new is open, oldest first. What lies before `from` is finished: a list that was
 * asked for before `from` moved on still has it.
 */
export function notice(cursor: Cursor, listed: readonly Listed[], nowMs: number): Cursor {
  const known = new Set([...cursor.open, ...cursor.done].map(({ id }) => id));
  const added = listed
    .filter(({ id, createdAt }) => createdAt > cursor.from && !known.has(id))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ id, createdAt, event }) => ({ id, createdAt, event, failures: 0, dueAt: nowMs }));
  return added.length === 0 ? cursor : { ...cursor, open: [...cursor.open, ...added] };
}

/** A notification that was taken, or that is given up. */
export function finish(cursor: Cursor, id: string): Cursor {
  const { createdAt } = cursor.open.find((one) => one.id === id) ?? {};
  if (createdAt === undefined) return cursor;
  const open = cursor.open.filter((one) => one.id !== id);
  return forgetFinished({ ...cursor, open, done: [...cursor.done, { id, createdAt }] });
}

/** A call that failed, and when the next one is due. */
export function postpone(cursor: Cursor, id: string, dueAt: number): Cursor {
  const open = cursor.open.map((one) => (one.id === id ? { ...one, failures: one.failures + 1, dueAt } : one));
  return { ...cursor, open };
}

/** Moves `from` on as far as nothing can be missed, and drops what lies before it. */
function forgetFinished({ from, open, done }: Cursor): Cursor {
  const newest = [...open, ...done].map(({ createdAt }) => createdAt).reduce((a, b) => (a > b ? a : b), '');
  const next = newest === '' ? from : plusSeconds(newest, -readAgainSeconds);
  const moved = next > from ? next : from;
  return { from: moved, open, done: done.filter(({ createdAt }) => createdAt > moved) };
}

/**
 * The cursor in a file; undefined where there is none.
 * @throws ToolFailure when the file is something else.
 */
export function readCursor(file: string): Cursor | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return Cursor.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ToolFailure(`${file} is no cursor of npm run listen.`, 'Delete it, or name another one with --cursor.');
  }
}

/** On disk when this returns: what is finished stays finished through any crash. */
export function writeCursor(file: string, cursor: Cursor): void {
  replaceFile(file, JSON.stringify(cursor));
}

/** Waits before attempts 2 to 5, seconds, and the time for a whole call: as the service has them (docs/partners.md). */
export const promised = { delaysSeconds: [60, 300, 900, 1800], withinMs: 10_000 } as const;

/** Calls at the same time: one that hangs must not hold up the others. */
const callsAtOnce = 4;

type Following = {
  readonly log: Pick<DeliveryLog, 'listAfter'>;
  /** Sends one notification as the service does. */
  readonly call: (one: Open) => Promise<PostOutcome>;
  /** Keeps the cursor; on disk when it returns. */
  readonly keep: (cursor: Cursor) => void;
  readonly tell: (one: Open, outcome: PostOutcome, next: 'taken' | 'given up' | number) => void;
  /** Waits before attempts 2, 3, …, seconds. */
  readonly delaysSeconds: readonly number[];
  readonly pollMs: number;
  readonly signal: AbortSignal;
};

/**
 * Forwards every notification of the log until it was taken or all attempts failed, and goes on until it is stopped.
 * The outcome of a call is kept before the next one begins in its place: a process that dies repeats the calls that
 * were under way, and no others.
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
    // Only now: what calls finished while the log was read is in the cursor of this moment.
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
    tell(one, outcome, outcome.taken ? 'taken' : 'given up');
    return;
  }
  const seconds = retryDelaySeconds(delaysSeconds, failures, Math.random());
  change((cursor) => postpone(cursor, one.id, Date.now() + seconds * 1000));
  tell(one, outcome, seconds);
}
