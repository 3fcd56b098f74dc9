import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { BacklogName, NotificationTarget } from '#shared/platform/outbox/delivery.ts';
import type { DrainedBacklog } from '../health/health.ts';
import { addressCircuit, originCircuit } from '../health/health.ts';
import type { Reader } from './reader.ts';

/*
 * A subscription changes its address. Its deliveries in the backlog of the former address stand behind others whose
 * circuit stops them, so that a drain searches that backlog for them: one pass immediately, and one more for deliveries
 * that join late.
 */

/** Seconds in which deliveries may still join: a notifier with the former address lives for 15, the index lags. */
const joinsLateSeconds = 30;

/** Returns when the next pass of a search begins: now while one is under way; undefined when none is left. */
export function searchAt(
  { readdressedAt }: DrainedBacklog,
  search: Reader | undefined,
  now: Instant,
): Instant | undefined {
  if (readdressedAt === undefined) return undefined;
  const { beganAt } = search ?? {};
  if (search === undefined || beganAt === undefined || !isExhausted(search, beganAt)) return now;
  const settledAt = plusSeconds(readdressedAt, joinsLateSeconds);
  if (beganAt >= settledAt) return undefined;
  return beganAt > readdressedAt ? settledAt : now;
}

function isExhausted({ ids, after, endedAt = '' }: Reader, beganAt: Instant): boolean {
  return ids.length === 0 && after === undefined && endedAt >= beganAt;
}

/** Whether a delivery waits in the backlog of another address, or origin, than that of its target. */
export function isReaddressed(target: NotificationTarget, backlog: BacklogName): boolean {
  if (!('endpoint' in target)) return false;
  if (backlog.startsWith('address:')) return backlog !== addressCircuit(target.endpoint);
  return backlog.startsWith('origin:') && backlog !== originCircuit(target.endpoint);
}
