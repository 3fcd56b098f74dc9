import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Line, SlowCall } from '#shared/platform/outbox/backlog.ts';
import { changeLine, lineGraceSeconds } from '#shared/platform/outbox/backlog.ts';

/*
 * The bulkhead of an endpoint: calls that take long are kept in its line, and while there are enough of them no further
 * call is made there. So an endpoint that hangs holds a few workers until its circuit opens, and not all of them. A
 * quick call is not kept and costs nothing.
 */

/** A call that has taken so long is slow. */
export const slowAfterMs = 1000;
/** With so many slow calls an endpoint is busy: further deliveries wait in its line, and go out one after the other. */
export const maxSlowCalls = 3;

/** Whether the endpoint has as many slow calls as it may. Those of workers that died end with their lease. */
export function isBusy({ slow }: Line, now: Instant): boolean {
  return liveOf(slow, now).length >= maxSlowCalls;
}

/**
 * A call has become slow. The one that makes the endpoint busy also opens the way out of the line: every line whose
 * endpoint is busy is being released, or its circuit is open, or it is held. Undefined when the endpoint is busy
 * already.
 */
export function beginSlowCall(line: Line, call: SlowCall, now: Instant): Line | undefined {
  if (isBusy(line, now)) return undefined;
  const slow = [...liveOf(line.slow, now), call];
  const isFull = slow.length >= maxSlowCalls && line.open === undefined && line.held === undefined;
  const release = { releasedAt: now, dueAt: line.dueAt ?? plusSeconds(now, lineGraceSeconds) };
  return changeLine(line, { slow, ...(isFull && release) });
}

/** The slow call of this delivery has ended. Undefined when it is not known as one. */
export function endSlowCall(line: Line, deliveryId: string): Line | undefined {
  const slow = line.slow?.filter((call) => call.deliveryId !== deliveryId);
  if (slow === undefined || slow.length === line.slow?.length) return undefined;
  return changeLine(line, { slow: slow.length > 0 ? slow : undefined });
}

function liveOf(slow: readonly SlowCall[] = [], now: Instant): readonly SlowCall[] {
  return slow.filter(({ until }) => until > now);
}
