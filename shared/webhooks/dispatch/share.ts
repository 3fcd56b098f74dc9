import * as z from 'zod';
import type { Instant } from '#shared/core/brasilia-time.ts';
import { epochSeconds, plusSeconds } from '#shared/core/brasilia-time.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { keys, listPartition } from '#shared/platform/table/keys.ts';
import type { Item } from '#shared/platform/table/store.ts';
import type { HealthDeps } from '../health/store.ts';

/*
 * The share of a company in the calls of all notifiers. Until a call takes long nothing is known of it, and by then a
 * burst to a host that hangs would have every notifier. So the calls of a burst take places, which are counted in one
 * item of the company: who finds none calls later. Once the circuits stop calls
 * like a slow one, its places are free for the company's other addresses. Notifiers share no memory.
 */

export type ShareDeps = Pick<HealthDeps, 'store' | 'now' | 'newId'> & {
  /** Calls of one company that all notifiers together may have open. */
  readonly companyShare: number;
};

/** A company with so many new deliveries within so many seconds has a burst. Others take no places: no write. */
const burst = { deliveries: 15, seconds: 2 } as const;
/** Seconds without a taken place after which all are free again: longer than a notifier lives, which may have died. */
const placesSeconds = 20;

/** The count from which places were taken; `none` when too few are left; `unlimited` without a burst. */
type Places = { readonly id: string } | 'none' | 'unlimited';

export type Share = ReturnType<typeof shareOf>;

/** The places of so many deliveries of one company that a notifier receives together. It looks for a burst at once. */
export function shareOf(deps: ShareDeps, companyId: string, count: number) {
  // Without a response of the table the calls begin: places protect other companies, and are no condition of a call.
  const unless = (text: string) => (error: unknown) => {
    log('warn', text, { companyId, ...errorFields(error) });
    return undefined;
  };
  const crowded = isCrowded(deps, companyId).catch(unless('Cannot look for a burst'));
  const ask = async (createdAt: Instant): Promise<Places> => {
    // A delivery that comes late, as after an outage, may be one of many, too.
    const isLate = createdAt < plusSeconds(deps.now(), -burst.seconds);
    if (!isLate && (await crowded) !== true) return 'unlimited';
    return (await take(deps, companyId, count).catch(unless('Cannot take places for calls'))) ?? 'unlimited';
  };
  let asked: Promise<Places> | undefined;
  let freed: Promise<void> | undefined;
  const free = async (taken: Promise<Places>): Promise<void> => {
    const places = await taken;
    if (typeof places !== 'object') return;
    const [update, when] = [keys.deliveryPlaces(companyId), { equals: { id: places.id } }];
    await deps.store.writeOne({ update, add: { left: count }, when }).catch((error: unknown) => {
      // The end of the receive tries again.
      freed = undefined;
      unless('Cannot free the places of calls')(error);
    });
  };
  return {
    /** Whether a delivery may be called now. The first one takes places for all. */
    mayCall: async ({ createdAt }: Pick<Delivery, 'createdAt'>) => (await (asked ??= ask(createdAt))) !== 'none',
    /** Frees the places, once: when all calls have ended, or when the circuits stop calls like a slow one. */
    giveBack: async (): Promise<void> => {
      if (asked !== undefined) await (freed ??= free(asked));
    },
  };
}

async function isCrowded({ store, now }: ShareDeps, companyId: string): Promise<boolean> {
  const partition = listPartition(companyId, 'DELIVERY');
  const from = plusSeconds(now(), -burst.seconds);
  const { items } = await store.query({ index: 'GSI2', partition, from, ascending: true, limit: burst.deliveries });
  return items.length >= burst.deliveries;
}

const PlacesItem = z.object({ id: z.string(), until: z.string() });
const parsePlaces = (item: Item | undefined) => PlacesItem.safeParse(item).data;

/** Tries of a taking: between its two writes another notifier may begin the count. */
const tries = 3;

/** Takes all places or none: one conditional write, two for the first of a burst. */
async function take({ store, now, newId, companyShare }: ShareDeps, companyId: string, count: number): Promise<Places> {
  const key = keys.deliveryPlaces(companyId);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const at = now();
    const kept = keptFrom(at);
    const when = { all: [{ after: { until: at } }, { atLeast: { left: count } }] };
    const taken = await store.writeOne({ update: key, add: { left: -count }, set: kept, when });
    const known = parsePlaces(taken.ok ? taken.after : taken.failed[0]?.item);
    if (taken.ok && known !== undefined) return known;
    if (known !== undefined && known.until > at) return 'none';
    const id = newId();
    const put = { ...key, entity: 'DELIVERY_PLACES', id, left: companyShare - count, ...kept };
    const first = await store.writeOne({ put, when: { any: [{ is: 'absent' }, { before: { until: at } }] } });
    if (first.ok) return { id };
  }
  return 'none';
}

function keptFrom(at: Instant): { readonly until: Instant; readonly expiresAt: number } {
  const until = plusSeconds(at, placesSeconds);
  return { until, expiresAt: epochSeconds(until) };
}
