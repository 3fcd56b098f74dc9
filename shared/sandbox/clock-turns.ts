import * as z from 'zod';
import type { Instant } from '../core/brasilia-time.ts';
import { epochSeconds } from '../core/brasilia-time.ts';
import type { CaughtUp, ClockJob, TurnedClock } from './clock.ts';
import { clockJobKinds, clockJobResourceTypes } from './clock.ts';
import { keyExpiry } from '../platform/idempotency.ts';
import { keys } from '../platform/table/keys.ts';
import type { Members } from '../platform/table/parse.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Item, Put, Update } from '../platform/table/store.ts';

/**
 * A turn of a clock that an idempotency key remembers: where the clock stood after it, and once the call has ended what
 * it did. Without `done` the call died, or is under way.
 */
type ClockTurnRecord = TurnedClock & { readonly done?: CaughtUp };

const JobShape = z.object({
  kind: z.enum(clockJobKinds),
  resource: z.object({ type: z.enum(clockJobResourceTypes), id: z.string() }),
  deliveryIds: z.array(z.string()),
} satisfies Members<ClockJob>);

const ClockTurnItem = z.object({
  entity: z.literal('CLOCK_TURN'),
  now: z.string(),
  offsetMs: z.int(),
  done: z.object({ jobs: z.array(JobShape), remaining: z.int() } satisfies Members<CaughtUp>).exactOptional(),
});

/** A turn, before anything is done that became due. It outlives its key. */
export function clockTurnInsert(companyId: string, id: string, { now, offsetMs }: TurnedClock, realAt: Instant): Put {
  const expiresAt = epochSeconds(keyExpiry(realAt)) + 86_400;
  const put = { ...keys.clockTurn(companyId, id), entity: 'CLOCK_TURN', now, offsetMs, expiresAt };
  return { put, when: { is: 'absent' } };
}

/** What its call did, if no other call has said so already. */
export function clockTurnDone(companyId: string, id: string, done: CaughtUp): Update {
  return { update: keys.clockTurn(companyId, id), set: { done }, when: { lacks: 'done' } };
}

/** @throws CorruptItem */
export function parseClockTurn(item: Item): ClockTurnRecord {
  const { entity: _entity, ...turn } = parseItem(ClockTurnItem, item, 'turn of a clock');
  return turn;
}
