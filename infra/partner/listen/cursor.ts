import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { ToolFailure } from '../command-line.ts';
import { replaceFile } from '../sandbox.ts';
import type { Listed } from './delivery-log.ts';

const Seen = z.strictObject({ id: z.string(), createdAt: z.string() });
const Open = Seen.extend({
  event: z.string(),
  /** Calls that failed so far. */
  failures: z.int(),
  /** Epoch milliseconds of this machine before which it is not tried. */
  dueAt: z.number(),
});

/**
 * How far a listener has come. A notification is `open` until it was taken or has failed for good; then it is `done` for as
 * long as it would be listed again, because it was created after `from`. An empty `from` is the beginning of the log.
 */
const Cursor = z.strictObject({ from: z.string(), open: z.array(Open), done: z.array(Seen) });

export type Open = z.infer<typeof Open>;
export type Cursor = z.infer<typeof Cursor>;

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

/** A notification that was taken, or that has failed for good. */
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
