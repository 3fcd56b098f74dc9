import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { ToolFailure } from '../failures.ts';
import { commandLine } from '../invocation.ts';
import { replaceFile } from '../sandbox.ts';
import type { Listed } from './delivery-log.ts';

const Seen = z.strictObject({ id: z.string(), createdAt: z.string() });
const Open = Seen.extend({
  event: z.string(),
  /** Calls that failed so far. */
  failures: z.int(),
  /** Time of the next attempt, epoch milliseconds of this machine. */
  dueAt: z.number(),
});

/**
 * A listener's position. An `open` notification waits for its acknowledgement or its last attempt. A `done` one is kept
 * while the log can list it again, which is while it was created after `from`. An empty `from` is the log's beginning.
 */
const Cursor = z.strictObject({ from: z.string(), open: z.array(Open), done: z.array(Seen) });

export type Open = z.infer<typeof Open>;
export type Cursor = z.infer<typeof Cursor>;

/**
 * Seconds. The log is read again from this long before the newest notification: its index may lag and list more later.
 */
export const readAgainSeconds = 120;

/** Returns the position of a listener that begins after a moment. */
export function beginAfter(from: Instant): Cursor {
  return { from, open: [], done: [] };
}

/** Returns the position of a listener that begins after the newest notification: all listed notifications are done. */
export function beginAfterAll(listed: readonly Listed[]): Cursor {
  const done = listed.map(({ id, createdAt }) => ({ id, createdAt }));
  return forgetFinished({ from: '', open: [], done });
}

/**
 * Adds the new notifications of a list, oldest first. A list that was read before `from` moved still has finished
 * notifications from before `from`: they are skipped.
 */
export function notice(cursor: Cursor, listed: readonly Listed[], nowMs: number): Cursor {
  const known = new Set([...cursor.open, ...cursor.done].map(({ id }) => id));
  const added = listed
    .filter(({ id, createdAt }) => createdAt > cursor.from && !known.has(id))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map(({ id, createdAt, event }) => ({ id, createdAt, event, failures: 0, dueAt: nowMs }));
  return added.length === 0 ? cursor : { ...cursor, open: [...cursor.open, ...added] };
}

/** Marks a notification as done. */
export function finish(cursor: Cursor, id: string): Cursor {
  const { createdAt } = cursor.open.find((delivery) => delivery.id === id) ?? {};
  if (createdAt === undefined) return cursor;
  const open = cursor.open.filter((delivery) => delivery.id !== id);
  return forgetFinished({ ...cursor, open, done: [...cursor.done, { id, createdAt }] });
}

/** Records a failed call and the time of the next call, epoch milliseconds. */
export function postpone(cursor: Cursor, id: string, dueAt: number): Cursor {
  const open = cursor.open.map((delivery) =>
    delivery.id === id ? { ...delivery, failures: delivery.failures + 1, dueAt } : delivery,
  );
  return { ...cursor, open };
}

/** Moves `from` to `readAgainSeconds` before the newest notification, and drops done notifications from before it. */
function forgetFinished({ from, open, done }: Cursor): Cursor {
  const newest = [...open, ...done].map(({ createdAt }) => createdAt).reduce((a, b) => (a > b ? a : b), '');
  const next = newest === '' ? from : plusSeconds(newest, -readAgainSeconds);
  const moved = next > from ? next : from;
  return { from: moved, open, done: done.filter(({ createdAt }) => createdAt > moved) };
}

/** Reads the cursor in a file; undefined when there is no file. @throws ToolFailure for any other content. */
export function readCursor(file: string): Cursor | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return Cursor.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new ToolFailure(
      `${file} is not a cursor file of ${commandLine('listen')}.`,
      'Delete it, or name another file with --cursor.',
    );
  }
}

/** Writes the cursor. It is on disk when this returns, so that after a crash done notifications are still done. */
export function writeCursor(file: string, cursor: Cursor): void {
  replaceFile(file, JSON.stringify(cursor));
}
