import type { Clock } from '../core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import { throttled } from '../core/errors.ts';
import type { LimitedOperation } from './table/keys.ts';
import { keys } from './table/keys.ts';
import type { Put, Store } from './table/store.ts';

/** Calls of one company in a calendar minute. */
const callsAMinute: Readonly<Record<LimitedOperation, number>> = { RESEND: 30, TEST: 30 };

/** Another minute and another caller's count can begin between two tries. */
const tries = 3;

/**
 * Takes one of the company's calls of this minute: one conditional write, two for the first of a minute.
 * @throws RequestError 429 with the rest of the minute when none is left; StoreUnavailable
 */
export async function takeCall(
  { store, now }: { readonly store: Store; readonly now: Clock },
  companyId: string,
  operation: LimitedOperation,
): Promise<void> {
  const at = now();
  const key = keys.callLimit(companyId, operation);
  const most = callsAMinute[operation];
  let minute = at.slice(0, 'yyyy-mm-ddThh:mm'.length);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const taken = await store.writeOne({
      update: key,
      add: { left: -1 },
      when: { all: [{ equals: { minute } }, { atLeast: { left: 1 } }] },
    });
    if (taken.ok) return;
    const present = taken.failed[0]?.item?.['minute'];
    if (present === minute) break;
    const first: Put = {
      put: { ...key, entity: 'CALL_LIMIT', minute, left: most - 1 },
      when: { any: [{ is: 'absent' }, { before: { minute } }] },
    };
    // The minute of the clock that is ahead counts.
    if (typeof present === 'string' && present > minute) minute = present;
    else if ((await store.writeOne(first)).ok) return;
  }
  throw throttled(
    `At most ${most} of these calls a minute are accepted. Nothing was sent; repeat the call later.`,
    Math.max(1, Math.ceil(secondsBetween(at, plusSeconds(`${minute}:00.000Z`, 60)))),
  );
}
