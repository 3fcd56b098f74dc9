import type { Instant } from '#shared/core/brasilia-time.ts';
import { millisecondsBetween, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Circuit } from '../health/circuit.ts';

/*
 * How many concurrent calls a drain may have open to one address or one origin: additive increase while calls succeed,
 * multiplicative decrease when they fail. The counts are in the memory of the drain: when its worker dies, its calls
 * end too.
 */

export type Gate = {
  /** Calls that may be open. */
  window: number;
  open: number;
  /** Slow calls to an origin that are open beside the window. */
  left: number;
  /** Failures in a row. */
  failures: number;
  failingSince?: Instant;
  reason?: string;
  halvedAt?: Instant;
  /** When a call was last answered. */
  answeredAt?: Instant;
};

/** The first window: of an endpoint that responds, but slowly, and of an unknown one. After an outage it is 1. */
const firstWindow = { busy: 16, unknown: 4 } as const;
/** Milliseconds in which a window is halved at most once: the calls of one burst fail together. */
const halvingMs = 1000;
/** Failures in a row that open a half-open circuit again. A smaller window needs only as many as it has calls. */
const relapseFailures = 10;
/** Seconds without an answer after which an origin may hang as a whole, as for its circuit. */
const answeringSeconds = 60;
/** Slow calls that leave the window of their origin: with those of a burst fewer than 60 are open at one that hangs. */
const maxLeft = 6;

export function newGate(circuit: Circuit | undefined): Gate {
  const isBack = circuit?.state === 'OPEN' || circuit?.state === 'HALF_OPEN';
  const window = isBack ? 1 : circuit?.state === 'BUSY' ? firstWindow.busy : firstWindow.unknown;
  return { window, open: 0, left: 0, failures: 0 };
}

/** Returns how many calls may begin now. An open circuit has one probe, when it is due. */
export function capacityOf(gate: Gate, circuit: Circuit | undefined, now: Instant): number {
  if (circuit?.state === 'HELD') return 0;
  if (circuit?.state === 'OPEN') return gate.open === 0 && circuit.probeAt <= now ? 1 : 0;
  return Math.max(0, Math.floor(gate.window) - gate.open);
}

/** Whether an origin answers: then a call that hangs is a matter of its address. */
export function isAnswering({ answeredAt }: Gate, now: Instant): boolean {
  return answeredAt !== undefined && secondsBetween(answeredAt, now) < answeringSeconds;
}

/** Lets a slow call leave the window of an origin that answers: the room is for its other addresses. */
export function leave(gate: Gate, now: Instant): boolean {
  if (!isAnswering(gate, now) || gate.left >= maxLeft) return false;
  gate.open -= 1;
  gate.left += 1;
  return true;
}

/**
 * Calls of an origin's window that slow addresses which have not answered leave to others: they may hang alone. That is
 * likely when the origin answers.
 */
export function reserveOf(gate: Gate, now: Instant): number {
  if (gate.window < 2) return 0;
  return isAnswering(gate, now) ? Math.floor(gate.window / 2) : Math.ceil(gate.window / 8);
}

/** `most`: the largest window. `hasLeft`: by `leave`. */
type Ended = { readonly now: Instant; readonly reason: string; readonly most: number; readonly hasLeft?: boolean };

/** Ends a call. @param outcome undefined when the result does not count for this gate */
export function closeCall(
  gate: Gate,
  outcome: 'good' | 'bad' | undefined,
  { now, reason, most, hasLeft = false }: Ended,
): void {
  const isFull = 2 * (hasLeft ? gate.open + 1 : gate.open) >= gate.window;
  if (hasLeft) gate.left -= 1;
  else gate.open -= 1;
  if (outcome === 'good') {
    gate.failures = 0;
    gate.answeredAt = now;
    if (isFull) gate.window = Math.min(most, gate.window + 1);
  }
  if (outcome !== 'bad') return;
  if (gate.failures === 0) gate.failingSince = now;
  gate.failures += 1;
  gate.reason = reason;
  if (gate.halvedAt !== undefined && millisecondsBetween(gate.halvedAt, now) < halvingMs) return;
  gate.window = Math.max(1, gate.window / 2);
  gate.halvedAt = now;
}

/** Whether an endpoint that seemed to be back fails again: a window of calls, or `relapseFailures`, in a row. */
export function hasRelapsed({ failures, window }: Gate): boolean {
  return failures >= Math.max(1, Math.min(relapseFailures, Math.floor(window)));
}
