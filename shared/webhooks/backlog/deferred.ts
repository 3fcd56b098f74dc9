import type { Clock } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { countedFailures, maxCountedFailures, shelve } from '../deliveries/states.ts';
import type { Line } from '#shared/platform/outbox/backlog.ts';
import { writeDelivery } from '../deliveries/store.ts';
import { parseDelivery } from '#shared/platform/outbox/delivery-items.ts';
import { linePartition } from '#shared/platform/table/keys.ts';
import type { Page, Store } from '#shared/platform/table/store.ts';

type Deps = { readonly store: Store; readonly now: Clock };

/** What was held longer is not sent by itself any more; it can be sent again by hand. */
const releasedSeconds = 7 * 86_400;
const pageSize = 25;
/** How many are looked at to find a probe that has attempts to spare. */
const maxCandidates = 200;

/**
 * The deliveries that wait in a line, oldest first. The index is read with a delay: the delivery itself says whether it
 * waits.
 */
export async function* readWaiting(
  store: Store,
  { companyId, name }: Line,
  readAtOnce: number,
  behind?: string,
): AsyncGenerator<Delivery, void, void> {
  const partition = linePartition(companyId, name);
  let after: Page['next'];
  do {
    const page: Page = await store.query({
      index: 'GSI2',
      partition,
      ascending: true,
      limit: pageSize,
      ...(after && { after }),
    });
    const entries = page.items.filter(
      ({ GSI2SK }) => behind === undefined || (typeof GSI2SK === 'string' && GSI2SK > behind),
    );
    for (let start = 0; start < entries.length; start += readAtOnce) {
      const items = await store.read(entries.slice(start, start + readAtOnce).map(({ PK, SK }) => ({ PK, SK })));
      for (const item of items) {
        const delivery = item && parseDelivery(item);
        if (delivery?.line === name) yield delivery;
      }
    }
    after = page.next;
  } while (after !== undefined);
}

/** The oldest that is to go out. What was held for too long is shelved on the way. */
export async function readFirst({ store, now }: Deps, line: Line): Promise<Delivery | undefined> {
  for await (const delivery of readWaiting(store, line, 1)) {
    if (delivery.heldAt === undefined || secondsBetween(delivery.heldAt, now()) <= releasedSeconds) return delivery;
    const shelved = shelve(delivery);
    if (shelved !== undefined) await writeDelivery(store, shelved);
  }
  return undefined;
}

/**
 * The delivery that tries whether the endpoint answers again: the oldest of those with the most attempts left. A last
 * attempt is spent only where it may be.
 */
export async function findProbe(
  { store }: Deps,
  line: Line,
  { newcomer, mayBeLast }: { readonly newcomer: Delivery | undefined; readonly mayBeLast: boolean },
): Promise<Delivery | undefined> {
  let best: Delivery | undefined;
  let seen = 0;
  for await (const delivery of readWaiting(store, line, pageSize)) {
    if (best === undefined || countedFailures(delivery) < countedFailures(best)) best = delivery;
    if (countedFailures(best) === 0 || (seen += 1) >= maxCandidates) break;
  }
  if (best === undefined || (newcomer !== undefined && countedFailures(newcomer) < countedFailures(best)))
    best = newcomer ?? best;
  if (best === undefined || (countedFailures(best) >= maxCountedFailures - 1 && !mayBeLast)) return undefined;
  return best;
}
