import type { Clock, Instant } from '../core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import { throttled } from '../core/errors.ts';
import type { LimitedOperation } from './table/keys.ts';
import { keys } from './table/keys.ts';
import type { Put, Store } from './table/store.ts';

/** Maximum of calls of one company in a calendar minute; for `CALLBACK`, of ids in its bank's callbacks. */
export const callsAMinute: Readonly<Record<LimitedOperation, number>> = { RESEND: 30, TEST: 30, CALLBACK: 10_000 };

/** Tries of a write: between two of them another minute or another caller's count can begin. */
const tries = 3;

type Limiter = { readonly store: Store; readonly now: Clock };

/**
 * Takes one of the company's calls of this minute: one conditional write, two for the first of a minute.
 * @throws RequestError 429 with the rest of the minute when none is left; StoreUnavailable
 */
export async function takeCall(limiter: Limiter, companyId: string, operation: LimitedOperation): Promise<void> {
  const at = limiter.now();
  const { isTaken, minute } = await take(limiter.store, at, { companyId, operation, count: 1 });
  if (isTaken) return;
  throw throttled(
    `At most ${callsAMinute[operation]} of these calls a minute are accepted. Nothing was sent; repeat the call later.`,
    Math.max(1, Math.ceil(secondsBetween(at, plusSeconds(`${minute}:00.000Z`, 60)))),
  );
}

/** Takes `count` calls together, all or none. False when fewer are left. @throws StoreUnavailable */
export async function takeCalls(
  { store, now }: Limiter,
  companyId: string,
  operation: LimitedOperation,
  count: number,
): Promise<boolean> {
  return count <= callsAMinute[operation] && (await take(store, now(), { companyId, operation, count })).isTaken;
}

type Calls = { readonly companyId: string; readonly operation: LimitedOperation; readonly count: number };

async function take(store: Store, at: Instant, { companyId, operation, count }: Calls) {
  const key = keys.callLimit(companyId, operation);
  const most = callsAMinute[operation];
  let minute = at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const taken = await store.writeOne({
      update: key,
      add: { left: -count },
      when: { all: [{ equals: { minute } }, { atLeast: { left: count } }] },
    });
    if (taken.ok) return { isTaken: true, minute };
    const current = taken.failed[0]?.item?.['minute'];
    if (current === minute) break;
    const first: Put = {
      put: { ...key, entity: 'CALL_LIMIT', minute, left: most - count },
      when: { any: [{ is: 'absent' }, { before: { minute } }] },
    };
    // If clocks differ, the later minute counts.
    if (typeof current === 'string' && current > minute) minute = current;
    else if ((await store.writeOne(first)).ok) return { isTaken: true, minute };
  }
  return { isTaken: false, minute };
}
