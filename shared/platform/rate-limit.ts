import type { Clock, Instant } from '../core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import type { RequestError } from '../core/errors.ts';
import { throttled } from '../core/errors.ts';
import type { LimitedOperation } from './table/keys.ts';
import { keys } from './table/keys.ts';
import type { Key, Put, Store } from './table/store.ts';

type PartnerCall = Exclude<LimitedOperation, 'CALLBACK'>;
/** Maximum of calls of one company in a calendar minute. */
const callsAMinute: Readonly<Record<PartnerCall, number>> = { RESEND: 30, TEST: 30 };
/** The most calls a minute that one item counts: its partition takes a thousand writes a second. */
const callsAnItem = 10_000;

/** Tries of a write: between two of them another minute or another caller's count can begin. */
const tries = 3;

type Limiter = { readonly store: Store; readonly now: Clock };

/**
 * Takes one of the company's calls of this minute: one conditional write, two for the first of a minute.
 * @throws RequestError 429 with the rest of the minute when none is left; StoreUnavailable
 */
export async function takeCall(limiter: Limiter, companyId: string, operation: PartnerCall): Promise<void> {
  const at = limiter.now();
  const key = keys.callLimit(companyId, operation);
  const { isTaken, minute } = await take(limiter.store, at, {
    key,
    entity: 'CALL_LIMIT',
    most: callsAMinute[operation],
    count: 1,
  });
  if (!isTaken) throw tooMany(`${callsAMinute[operation]} of these calls`, 'sent', at, minute);
}

/**
 * Takes one of the payouts that an account may create in this minute: one conditional write, two for the first of a
 * minute, none without a limit.
 * @throws RequestError 429 with the rest of the minute when none is left; StoreUnavailable
 */
export async function takePayout(
  limiter: Limiter,
  {
    companyId,
    id,
    payoutsAMinute: most,
  }: { readonly companyId: string; readonly id: string; readonly payoutsAMinute?: number },
): Promise<void> {
  if (most === undefined) return;
  const at = limiter.now();
  const key = keys.payoutLimit(companyId, id);
  const { isTaken, minute } = await take(limiter.store, at, { key, entity: 'PAYOUT_LIMIT', most, count: 1 });
  if (!isTaken) throw tooMany(`${most} payouts of this account`, 'carried out', at, minute);
}

function tooMany(most: string, done: string, at: Instant, minute: string): RequestError {
  return throttled(
    `At most ${most} a minute are accepted. Nothing was ${done}; repeat the call later.`,
    Math.max(1, Math.ceil(secondsBetween(at, plusSeconds(`${minute}:00.000Z`, 60)))),
  );
}

/**
 * Takes `count` of a company's `most` ids in its bank's callbacks of this minute, all or none. Of more than 10 000 each
 * item counts an equal part, and a random one is asked: near the limit it may have none when others have some left.
 * False when fewer are left. @throws StoreUnavailable
 */
export async function takeCalls(
  { store, now, random }: Limiter & { readonly random: () => number },
  companyId: string,
  count: number,
  most: number,
): Promise<boolean> {
  const parts = Math.ceil(most / callsAnItem);
  const key = keys.callLimit(companyId, 'CALLBACK', Math.floor(random() * parts));
  const mostOfPart = Math.floor(most / parts);
  return (
    count <= mostOfPart && (await take(store, now(), { key, entity: 'CALL_LIMIT', most: mostOfPart, count })).isTaken
  );
}

type Calls = { readonly key: Key; readonly entity: string; readonly most: number; readonly count: number };

async function take(store: Store, at: Instant, { key, entity, most, count }: Calls) {
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
      put: { ...key, entity, minute, left: most - count },
      when: { any: [{ is: 'absent' }, { before: { minute } }] },
    };
    // If clocks differ, the later minute counts.
    if (typeof current === 'string' && current > minute) minute = current;
    else if ((await store.writeOne(first)).ok) return { isTaken: true, minute };
  }
  return { isTaken: false, minute };
}
