import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import { backlogPartition } from '#shared/platform/table/keys.ts';
import type { Page, Store } from '#shared/platform/table/store.ts';

/** One backlog as a drain reads it: oldest first, to its end, and then from the beginning again. */
export type Reader = {
  readonly name: BacklogName;
  /** It passes over all but what has another address by now. */
  readonly isSearch: boolean;
  /** Ids that were read and not begun, oldest first. */
  readonly ids: string[];
  /** Ids that are called or have left, and until when the index may still show them. */
  readonly skipped: Map<string, Instant>;
  /** Ids whose call is under way: they may stay, although passes meanwhile find nothing. */
  readonly called: Set<string>;
  /** Where the pass goes on, how many it has seen, and whether it found something to do. */
  after?: Page['next'];
  seen: number;
  hasActed: boolean;
  /**
   * Whether any pass has seen something that does not wait for the end of a hold, of which another drain is asked for:
   * an earlier drain that took the backlog for empty was wrong.
   */
  hasFound: boolean;
  /** When something that waits for a time may be due. */
  until?: Instant;
  /** When the current or last pass began, and when the last one ended. */
  beganAt?: Instant;
  endedAt?: Instant;
  /** When its deliveries left, of the last minute. */
  left: Instant[];
  oldestAt?: Instant;
};

const pageSize = 100;
/** Seconds. An empty backlog is looked at so often while the drain is at work; one where all waits, seldom. */
const pause = { empty: 0.5, waiting: 30 } as const;
/** Seconds, for a call and its record, and until the index mostly shows what has left: it costs a read if not. */
const calledSeconds = 30;
const indexSettlesSeconds = 1;

export function newReader(name: BacklogName, isSearch = false): Reader {
  const empty = { ids: [], skipped: new Map(), called: new Set<string>(), left: [] };
  return { name, isSearch, ...empty, seen: 0, hasActed: false, hasFound: false };
}

/** Reads on until it knows so many ids, or the pass ends. */
export async function fill(
  reader: Reader,
  store: Store,
  companyId: string,
  count: number,
  now: Instant,
): Promise<void> {
  for (const [id, until] of reader.skipped) if (until <= now) reader.skipped.delete(id);
  const wait = reader.seen > pageSize && !reader.hasActed ? pause.waiting : pause.empty;
  if (reader.after === undefined && reader.endedAt !== undefined && plusSeconds(reader.endedAt, wait) > now) return;
  const partition = backlogPartition(companyId, reader.name);
  while (reader.ids.length < count) {
    const from = reader.after && { after: reader.after };
    const page = await store.query({ index: 'GSI2', partition, ascending: true, limit: pageSize, ...from });
    if (reader.after === undefined) beginPass(reader, page.items[0]?.['GSI2SK'], now);
    const ids = page.items.flatMap((item) => dispatchOf({ PK: item.PK, SK: item.SK })?.deliveryId ?? []);
    reader.seen += ids.length;
    reader.ids.push(...ids.filter((id) => !reader.skipped.has(id) && !reader.ids.includes(id)));
    reader.after = page.next;
    if (page.next !== undefined) continue;
    reader.endedAt = now;
    return;
  }
}

function beginPass(reader: Reader, firstSort: unknown, beganAt: Instant): void {
  const oldestAt = typeof firstSort === 'string' && firstSort.slice(0, firstSort.indexOf('#'));
  Object.assign(reader, { seen: 0, hasActed: false, beganAt });
  delete reader.until;
  delete reader.oldestAt;
  if (oldestAt) reader.oldestAt = oldestAt;
}

/** Whether a pass has ended since then, and all that it found has begun. */
export function hasCaughtUp({ ids, after, endedAt = '' }: Reader, since: Instant): boolean {
  return ids.length === 0 && after === undefined && endedAt > since;
}

/** Whether the last pass found nothing to do, but what waits for a time. */
export function isIdle(reader: Reader): boolean {
  return hasCaughtUp(reader, '') && !reader.hasActed && reader.called.size === 0;
}

/** A delivery is called, or has left the backlog, which the index may not show for a moment. It may come back soon. */
export function skip(reader: Reader, id: string, is: 'called' | 'gone', now: Instant): void {
  Object.assign(reader, { hasActed: true, hasFound: true });
  if (is === 'called') reader.called.add(id);
  else reader.called.delete(id);
  reader.skipped.set(id, plusSeconds(now, is === 'called' ? calledSeconds : indexSettlesSeconds));
}

/** A delivery stays in the backlog: whatever a pass found that passed it over, the backlog is not empty. */
export function keep(reader: Reader, id: string): void {
  reader.hasActed = true;
  reader.called.delete(id);
  reader.skipped.delete(id);
}

/** A delivery waits for a time: the backlog is not empty, and has to be looked at again. */
export function waitUntil(reader: Reader, until: Instant | undefined): void {
  if (until === undefined) return;
  reader.hasFound = true;
  if (reader.until === undefined || until < reader.until) reader.until = until;
}
