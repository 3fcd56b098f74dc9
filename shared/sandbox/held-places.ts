import type { Clock } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { keys } from '../platform/table/keys.ts';
import type { Item, Store } from '../platform/table/store.ts';

/** Slow answers of one company at once. */
export const slowCallsAtOnce = 10;
/** A place whose holder has died falls free by itself, seconds: later than any function ends. */
export const heldAtMostSeconds = 15;

const places = Array.from({ length: slowCallsAtOnce }, (_, index) => `place${index}`);

/**
 * Takes one of the company's places for slow answers, in one conditional write: each place names its holder and until
 * when it is held. Undefined when all are held; else what gives the place back, one write more.
 * @throws StoreUnavailable
 */
export async function takePlace(
  { store, now }: { readonly store: Store; readonly now: Clock },
  companyId: string,
): Promise<(() => Promise<void>) | undefined> {
  const update = keys.slowCalls(companyId);
  const holder = crypto.randomUUID();
  let free: readonly string[] = places;
  // A place is lost to somebody who then holds it: of as many places it can be lost so many times.
  for (let tries = 0; free.length > 0 && tries < slowCallsAtOnce; tries += 1) {
    const at = now();
    const place = free[Math.floor(Math.random() * free.length)] ?? '';
    const held = `${plusSeconds(at, heldAtMostSeconds)} ${holder}`;
    const isFree = { any: [{ lacks: place }, { before: { [place]: at } }] };
    const taken = await store.writeOne({ update, set: { entity: 'SLOW_CALLS', [place]: held }, when: isFree });
    const item = taken.ok ? undefined : taken.failed[0]?.item;
    // Also where the answer to the first write was lost and its repetition failed on it.
    if (taken.ok || item?.[place] === held)
      return async () => {
        await store.writeOne({ update, remove: [place], when: { equals: { [place]: held } } });
      };
    free = places.filter((one) => isFreeIn(item, one, at));
  }
  return undefined;
}

function isFreeIn(item: Item | undefined, place: string, at: string): boolean {
  const held = item?.[place];
  return typeof held !== 'string' || held < at;
}
