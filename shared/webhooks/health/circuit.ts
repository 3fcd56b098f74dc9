import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { CountedFailure, Line } from '#shared/platform/outbox/backlog.ts';
import { changeLine } from '#shared/platform/outbox/backlog.ts';

/*
 * The circuit of an endpoint: closed, it counts failed calls in a row; open, it lets out one waiting delivery at a time
 * as a probe; the first success closes it. Each function gives the state to write, or undefined when there is nothing
 * to write: an endpoint that answers costs no write.
 */

/** When a circuit opens, how often it is probed, and when it gives up. Configuration of the environment. */
export type CircuitRules = {
  /** Failed calls in a row … */
  readonly failures: number;
  /** … over at least so many deliveries … */
  readonly deliveries: number;
  /** … within so many seconds. */
  readonly windowSeconds: number;
  /** Or timeouts in a row, over as many deliveries. */
  readonly timeouts: number;
  /** Waits before the first, second, … probe, whole seconds; the last one goes on holding. At most 900 each. */
  readonly probeDelaysSeconds: readonly number[];
  /** Open for so long, the endpoint becomes inactive. */
  readonly giveUpSeconds: number;
};

/** A probe may be a delivery's last attempt only after this many of the longest waits. */
const lastAttemptWaits = 24;

/** A call failed. Undefined while the circuit is open or the endpoint held: then nothing is counted. */
export function countFailure(line: Line, failure: CountedFailure, rules: CircuitRules): Line | undefined {
  if (line.open !== undefined || line.held !== undefined) return undefined;
  const failures = [...(line.failures ?? []), failure].slice(-rules.failures);
  return openCircuit({ ...line, failures }, failure.at, rules) ?? changeLine(line, { failures });
}

/**
 * Opens the circuit if the failures that are counted are enough for that; undefined if not, or if it is open or held.
 */
export function openCircuit(line: Line, at: Instant, rules: CircuitRules): Line | undefined {
  if (line.open !== undefined || line.held !== undefined) return undefined;
  // Workers that fail at once append, so that there may be more than count.
  const failures = (line.failures ?? []).slice(-rules.failures);
  if (!areEnough(failures, rules)) return undefined;
  const failingSince = failures[0]?.at ?? at;
  const open = { at, failingSince, probes: 0, probedAt: at };
  return changeLine(line, {
    open,
    failures: undefined,
    releasedAt: undefined,
    // A delivery that was let out before is no probe: its end does not decide when the first probe goes.
    turn: undefined,
    dueAt: plusSeconds(at, probeDelay(0, rules)),
  });
}

/** A call was answered well. Undefined when nothing was counted against the endpoint. */
export function countSuccess(line: Line, at: Instant): Line | undefined {
  if (line.open !== undefined) return changeLine(line, { open: undefined, releasedAt: at, dueAt: at });
  if (line.failures === undefined) return undefined;
  return changeLine(line, { failures: undefined });
}

/** When the next probe may go: after a wait that grows with every one that failed. */
export function nextProbeAt(open: NonNullable<Line['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, probeDelay(open.probes, rules));
}

/**
 * When a probe may be a delivery's last attempt. Earlier the delivery would be lost to an endpoint that is known to be
 * down; never, a line in which no delivery has two attempts left would not find out that the endpoint is back.
 */
export function nextLastAttemptAt(open: NonNullable<Line['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, lastAttemptWaits * longestProbeDelay(rules));
}

/**
 * Seconds. A line without a possible probe is looked at again after this; a delivery that comes earlier is the probe.
 */
export function longestProbeDelay({ probeDelaysSeconds }: CircuitRules): number {
  return Math.max(0, ...probeDelaysSeconds);
}

/** Whether the endpoint has been failing for so long that it becomes inactive. */
export function isGivenUp(open: NonNullable<Line['open']>, now: Instant, rules: CircuitRules): boolean {
  return secondsBetween(open.at, now) >= rules.giveUpSeconds;
}

function probeDelay(probes: number, { probeDelaysSeconds: delays }: CircuitRules): number {
  return delays[Math.min(probes, delays.length - 1)] ?? 0;
}

function areEnough(failures: readonly CountedFailure[], rules: CircuitRules): boolean {
  const [first] = failures;
  const last = failures.at(-1);
  if (first === undefined || last === undefined) return false;
  const isFull = failures.length >= rules.failures && secondsBetween(first.at, last.at) <= rules.windowSeconds;
  if (isFull && deliveriesIn(failures) >= rules.deliveries) return true;
  const timeouts = failures.slice(failures.findLastIndex(({ timedOut }) => !timedOut) + 1);
  return timeouts.length >= rules.timeouts && deliveriesIn(timeouts) >= rules.timeouts;
}

function deliveriesIn(failures: readonly CountedFailure[]): number {
  return new Set(failures.map(({ deliveryId }) => deliveryId)).size;
}
