import type { Clock, Instant } from '../core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import { throttled } from '../core/errors.ts';
import type { LimitedOperation } from './table/keys.ts';
import { keys } from './table/keys.ts';
import type { Key, Put, Store, Update } from './table/store.ts';

/** Calls of one company in a calendar minute. */
const callsAMinute: Readonly<Record<LimitedOperation, number>> = { RESEND: 30, TEST: 30 };

/** Another minute and another caller's count can begin between two tries. */
const tries = 3;

/**
 * Takes one of the company's calls of this minute: one conditional write, two for the first of a minute.
 * @throws Refusal 429 with the rest of the minute when none is left; StoreUnavailable
 */
export async function takeCall(
  { store, now }: { readonly store: Store; readonly now: Clock },
  companyId: string,
  operation: LimitedOperation,
): Promise<void> {
  const at = now();
  const key = keys.callLimit(companyId, operation);
  let minute = at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const taken = await store.writeOne(takeOne(key, minute));
    if (taken.ok) return;
    const present = taken.failed[0]?.item?.['minute'];
    if (present === minute) break;
    // The minute of the clock that is ahead counts.
    if (typeof present === 'string' && present > minute) minute = present;
    else if ((await store.writeOne(beginMinute(key, minute, callsAMinute[operation] - 1))).ok) return;
  }
  throw throttled(
    `At most ${callsAMinute[operation]} of these calls a minute are accepted. Nothing was sent; repeat the call later.`,
    secondsLeft(minute, at),
  );
}

function takeOne(update: Key, minute: string): Update {
  return { update, add: { left: -1 }, when: { all: [{ equals: { minute } }, { atLeast: { left: 1 } }] } };
}

function beginMinute(key: Key, minute: string, left: number): Put {
  return {
    put: { ...key, entity: 'CALL_LIMIT', minute, left },
    when: { any: [{ is: 'absent' }, { before: { minute } }] },
  };
}

function secondsLeft(minute: string, at: Instant): number {
  return Math.max(1, Math.ceil(secondsBetween(at, plusSeconds(`${minute}:00.000Z`, 60))));
}
