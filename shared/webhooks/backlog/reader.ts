import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { BacklogName } from '#shared/platform/outbox/delivery.ts';
import { dispatchOf } from '#shared/platform/outbox/delivery-items.ts';
import { backlogPartition } from '#shared/platform/table/keys.ts';
import type { Page, Store } from '#shared/platform/table/store.ts';

/** One backlog as a drain reads it: oldest first, to its end, and then from the beginning again. */
export type Reader = {
  readonly name: BacklogName;
  /** A search skips all deliveries but those whose address has changed. */
  readonly isSearch: boolean;
  /** Ids that were read and not begun, oldest first. */
  ids: string[];
  /** Deliveries among `ids` that found no room at their address: they keep back only those of their subject. */
  readonly waiting: Map<string, Waiting>;
  /** Ids that are called or have left, and until when the index may still show them. */
  readonly skipped: Map<string, Instant>;
  /** Ids whose call is under way: they may stay in the backlog, even if passes meanwhile find nothing. */
  readonly called: Set<string>;
  /** Where the pass goes on, how many deliveries it has seen, and whether it found something to do. */
  after?: Page['next'];
  seen: number;
  hasActed: boolean;
  /**
   * Whether any pass has found a delivery that does not only wait for the end of a hold, which requests a drain of its
   * own. Then an earlier drain was wrong to take the backlog for empty.
   */
  hasFound: boolean;
  /** The earliest time at which a waiting delivery may be due. */
  until?: Instant;
  /** When the current or last pass began, and when the last one ended. */
  beganAt?: Instant;
  endedAt?: Instant;
  /** Times at which deliveries left the backlog in the last minute. */
  left: Instant[];
  oldestAt?: Instant;
};

export type Waiting = { readonly endpoint: string; readonly subject: string };

const pageSize = 100;
/** Deliveries to addresses without room beyond which a reader reads no further. */
const maxWaiting = 1000;
/** Seconds between two passes: `waiting` after more than a page of deliveries that all wait, else `empty`. */
const pause = { empty: 0.5, waiting: 30 } as const;
/**
 * Seconds for which an id is skipped: during a call and its record, and until the index mostly shows that a delivery
 * has left. A delivery that it still shows costs a read.
 */
const calledSeconds = 30;
const indexSettlesSeconds = 1;

export function newReader(name: BacklogName, isSearch = false): Reader {
  const empty = { ids: [], waiting: new Map(), skipped: new Map(), called: new Set<string>(), left: [] };
  return { name, isSearch, ...empty, seen: 0, hasActed: false, hasFound: false };
}

/** Reads on until `count` ids are known beside those that wait for room, or the pass ends. */
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
  while (reader.ids.length < count + Math.min(maxWaiting, reader.waiting.size)) {
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

/** Whether a pass has ended since this time, and all deliveries that it found have begun. */
export function hasCaughtUp({ ids, after, endedAt = '' }: Reader, since: Instant): boolean {
  return ids.length === 0 && after === undefined && endedAt > since;
}

/** Whether the last pass found nothing to do, except deliveries that wait for a time, and no call is under way. */
export function isIdle(reader: Reader): boolean {
  return hasCaughtUp(reader, '') && !reader.hasActed && reader.called.size === 0;
}

/** Skips a delivery that is called or has left, while the index may still show it. It may come back soon. */
export function skip(reader: Reader, id: string, is: 'called' | 'gone', now: Instant): void {
  Object.assign(reader, { hasActed: true, hasFound: true });
  if (is === 'called') reader.called.add(id);
  else reader.called.delete(id);
  reader.waiting.delete(id);
  reader.skipped.set(id, plusSeconds(now, is === 'called' ? calledSeconds : indexSettlesSeconds));
}

/** Keeps a delivery in the backlog, which is not empty then, even if a pass that skipped it found nothing. */
export function keep(reader: Reader, id: string): void {
  reader.hasActed = true;
  reader.called.delete(id);
  reader.skipped.delete(id);
}

/** Notes that a delivery waits for a time: the backlog is not empty, and is read again then. */
export function waitUntil(reader: Reader, until: Instant | undefined): void {
  if (until === undefined) return;
  reader.hasFound = true;
  if (reader.until === undefined || until < reader.until) reader.until = until;
}
