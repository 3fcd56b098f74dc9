import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { ToolFailure } from '../command-line.ts';
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
 * A listener's position. An `open` notification waits for its acknowledgement or last attempt. A `done` one stays while
 * the log can list it again: it was created after `from`, which is empty at the log's beginning.
 */
const Cursor = z.strictObject({ from: z.string(), open: z.array(Open), done: z.array(Seen) });

export type Open = z.infer<typeof Open>;
export type Cursor = z.infer<typeof Cursor>;

/** Seconds. The log is read again from that long before the newest one: a lagging index may show others later. */
export const readAgainSeconds = 120;

/** A listener that begins after a moment. */
export function beginAfter(from: Instant): Cursor {
  return { from, open: [], done: [] };
}

/** A listener that begins after the newest notification: those of the overlap are done. */
export function beginAfterAll(listed: readonly Listed[]): Cursor {
  const done = listed.map(({ id, createdAt }) => ({ id, createdAt }));
  return forgetFinished({ from: '', open: [], done });
}

/** Adds the new ones of a list, oldest first. A late list still has finished ones from before `from`. */
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

/** Records a failed call and the next one's due time, epoch milliseconds. */
export function postpone(cursor: Cursor, id: string, dueAt: number): Cursor {
  const open = cursor.open.map((delivery) =>
    delivery.id === id ? { ...delivery, failures: delivery.failures + 1, dueAt } : delivery,
  );
  return { ...cursor, open };
}

/** Moves `from` as far as is safe, and drops older notifications. */
function forgetFinished({ from, open, done }: Cursor): Cursor {
  const newest = [...open, ...done].map(({ createdAt }) => createdAt).reduce((a, b) => (a > b ? a : b), '');
  const next = newest === '' ? from : plusSeconds(newest, -readAgainSeconds);
  const moved = next > from ? next : from;
  return { from: moved, open, done: done.filter(({ createdAt }) => createdAt > moved) };
}

/** The cursor in a file; undefined without one. @throws ToolFailure for another content. */
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

/** On disk when this returns: after a crash, done notifications are still done. */
export function writeCursor(file: string, cursor: Cursor): void {
  replaceFile(file, JSON.stringify(cursor));
}
