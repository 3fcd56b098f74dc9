import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { BacklogName, CircuitName } from '#shared/platform/outbox/delivery.ts';

/*
 * The circuit of an address, or of an origin (scheme, host, port). A healthy one has no record. Pure: `health.ts` keeps
 * the circuits of a company, and docs/decisions/015 draws the states.
 */

/** When a circuit opens, its probes, and when it gives the endpoint up. A setting of the environment. */
export type CircuitRules = {
  /** Failed calls in a row, over at least so many deliveries, within so many seconds … */
  readonly failures: number;
  readonly deliveries: number;
  readonly windowSeconds: number;
  /** … or timeouts in a row, over as many deliveries. */
  readonly timeouts: number;
  /** Waits before the first, second, … probe, whole seconds, at most 900; the last one holds for all that follow. */
  readonly probeDelaysSeconds: readonly number[];
  /** Open for so long, the endpoint becomes inactive. */
  readonly disableAfterSeconds: number;
};

/** Failed calls in a row, as numbers: however many they are. */
export type Failures = {
  /** The count: circuits name the one that they go by. Another value than theirs: it has ended. */
  readonly id: string;
  /** When the first of the counted calls began; absent while none is counted. */
  readonly since?: Instant;
  readonly failures: number;
  /** Deliveries that failed since then. */
  readonly deliveries: number;
  /** Deliveries that timed out since `timeoutsSince`, without another outcome between them. */
  readonly timeouts: number;
  readonly timeoutsSince?: Instant;
  /** When the last failure was counted; of a new count, when it began. */
  readonly lastAt: Instant;
};

/** A failed call. `earlier`: when the attempts of its delivery before it began. */
export type FailedCall = { readonly at: Instant; readonly earlier: readonly Instant[]; readonly reason: string };

/** Which count of failed calls a circuit goes by, and until when unless they go on. */
export type CountInUse = { readonly id: string; readonly until: Instant };

/**
 * The circuit of an address or origin, `url`. `counted`: its failed calls in a row are counted beside it
 * (`failures.ts`).
 * - `CLOSED`: until `until` an origin counts as one that has answered lately.
 * - `BUSY`: it answers, but slowly, or has more deliveries than calls allowed. It ends unless a call prolongs it.
 * - `OPEN`: only probes go out. `probes` have failed, the last one at `probedAt`; before the first, it opened then.
 * - `HALF_OPEN`: it answers again; the waiting deliveries leave in growing numbers.
 * - `HELD`: no delivery goes out. `CIRCUIT`: given up, because it failed for days.
 */
export type Circuit = { readonly name: CircuitName; readonly url: string } & (
  | { readonly state: 'CLOSED' | 'BUSY'; readonly until: Instant; readonly counted?: CountInUse }
  | {
      readonly state: 'OPEN';
      readonly since: Instant;
      readonly failingSince: Instant;
      readonly reason: string;
      readonly probes: number;
      readonly probeAt: Instant;
      readonly probedAt: Instant;
    }
  | { readonly state: 'HALF_OPEN'; readonly since: Instant }
  | {
      readonly state: 'HELD';
      readonly since: Instant;
      readonly by: 'OPERATOR' | 'CIRCUIT';
      readonly failingSince?: Instant;
      readonly reason?: string;
    }
);

/**
 * Where a delivery may go now. `hold`: nowhere, until settings or the operator change that. `defer`: not while its
 * endpoint fails or is busy, which these circuits say, or many others are. `backlog`: where it waits if it does.
 */
export type Admission = { readonly backlog: BacklogName } & (
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'defer'; readonly endpoint: string; readonly stopping: readonly Circuit[] }
  | { readonly to: 'hold'; readonly by?: Circuit }
);

/** Seconds that a `BUSY` circuit lasts after the last call that was slow, or for which no capacity was left. */
const busySeconds = 60;
/** Seconds for which an origin that has answered counts as alive. */
const aliveSeconds = 60;
/** Seconds until failures without a further one, or an open circuit without a probe, are dropped as abandoned. */
const forgottenSeconds = 86_400;
/** A probe may be a delivery's last attempt only after this many of the longest waits. */
const lastAttemptWaits = 24;

/** Scheme, host and port of an address. */
export function originOf(address: string): string {
  return URL.parse(address)?.origin ?? address;
}

/**
 * Whether a delivery waits for the circuit. One that has begun keeps its schedule at an endpoint that fails, but not at
 * one that hangs, or that has all its calls: there each would hold a worker.
 */
export function isStopping(circuit: Circuit, hasBegun: boolean, now: Instant): boolean {
  if (isOver(circuit, now)) return false;
  if (circuit.state === 'OPEN') return !hasBegun || circuit.reason === 'TIMEOUT';
  return isBusy(circuit, now) || (circuit.state === 'HALF_OPEN' && !hasBegun);
}

export function isBusy(circuit: Circuit, now: Instant): boolean {
  return circuit.state === 'BUSY' && circuit.until > now;
}

/** Whether the record says no more than its absence. An open circuit is probed while anything waits for it. */
export function isOver(circuit: Circuit, now: Instant): boolean {
  if (circuit.state === 'OPEN') return plusSeconds(circuit.probeAt, forgottenSeconds) <= now;
  return isCounting(circuit) && circuit.until <= now && (circuit.counted?.until ?? '') <= now;
}

/** The circuit as it is now: one that was busy goes on counting. */
export function asOf(circuit: Circuit, now: Instant): Circuit {
  return circuit.state === 'BUSY' && !isBusy(circuit, now) ? { ...circuit, state: 'CLOSED' } : circuit;
}

/** Whether it has answered within the minute: a call that hangs says nothing about it. */
export function isAlive(circuit: Circuit, now: Instant): boolean {
  return circuit.state === 'CLOSED' && circuit.until > now;
}

/** A circuit that has answered just now. The same while that is known for half of the time: not every answer writes. */
export function alive(current: Circuit, now: Instant): Circuit {
  if (!isCounting(current)) return current;
  if (current.state === 'CLOSED' && current.until > plusSeconds(now, aliveSeconds / 2)) return current;
  return { ...current, state: 'CLOSED', until: plusSeconds(now, aliveSeconds) };
}

/** Begins to count failed calls, unless that has begun: in another count than the one that is known to have ended. */
export function beginCount(current: Circuit, id: string, now: Instant, endedCount?: string): Circuit {
  if (!isCounting(current) || (current.counted !== undefined && current.counted.id !== endedCount)) return current;
  return { ...current, counted: { id, until: plusSeconds(now, forgottenSeconds) } };
}

/** After a failed call: the rules say whether its circuit opens. @param failures with it, where it was counted */
export function afterFailure(
  current: Circuit,
  failures: Failures | undefined,
  reason: string,
  now: Instant,
  rules: CircuitRules,
): Circuit {
  if (!isCounting(current) || failures === undefined || current.counted?.id !== failures.id) return current;
  const { since = now, deliveries, timeouts, timeoutsSince = since } = failures;
  if ((failures.failures >= rules.failures && deliveries >= rules.deliveries) || timeouts >= rules.timeouts) {
    const failingSince = timeoutsSince < since ? timeoutsSince : since;
    return openCircuit(current, { now, failingSince, reason }, rules);
  }
  const until = plusSeconds(now, forgottenSeconds);
  // Half of the time is enough: not every failure writes.
  const isKnown = current.counted.until > plusSeconds(now, forgottenSeconds / 2);
  return isKnown ? current : { ...current, counted: { ...current.counted, until } };
}

/** A probe failed: the next one goes later. */
export function afterProbe(current: Circuit, reason: string, now: Instant, rules: CircuitRules): Circuit {
  if (current.state !== 'OPEN') return current;
  const probes = current.probes + 1;
  return { ...current, reason, probes, probeAt: plusSeconds(now, probeDelay(probes, rules)), probedAt: now };
}

export function openCircuit(
  { name, url }: Circuit,
  failure: { readonly now: Instant; readonly failingSince: Instant; readonly reason: string },
  rules: CircuitRules,
): Circuit {
  const { now: since, failingSince, reason } = failure;
  const probeAt = plusSeconds(since, probeDelay(0, rules));
  return { name, url, state: 'OPEN', since, failingSince, reason, probes: 0, probeAt, probedAt: since };
}

/** A call succeeded, or for an origin was answered. @param endedCountId the count that has ended with it */
export function afterSuccess(current: Circuit, endedCountId: string | undefined, now: Instant): Circuit {
  if (current.state === 'OPEN') return halfOpen(current, now);
  if (!isCounting(current) || endedCountId === undefined || current.counted?.id !== endedCountId) return current;
  const { counted: _, ...rest } = current;
  return rest;
}

export function halfOpen({ name, url }: Circuit, now: Instant): Circuit {
  return { name, url, state: 'HALF_OPEN', since: now };
}

/** Prolongs the time in which what comes waits for the drain. The same circuit when that says nothing new. */
export function markBusy(current: Circuit, now: Instant): Circuit {
  if (!isCounting(current)) return current;
  // Half of the time is enough: not every slow call writes.
  if (current.state === 'BUSY' && current.until > plusSeconds(now, busySeconds / 2)) return current;
  return { ...current, state: 'BUSY', until: plusSeconds(now, busySeconds) };
}

/** Whether a probe may be a delivery's last attempt: earlier it would fail at an endpoint that is known to be down. */
export function mayProbeWithLast(circuit: Circuit, now: Instant, rules: CircuitRules): boolean {
  const longest = Math.max(0, ...rules.probeDelaysSeconds);
  return circuit.state !== 'OPEN' || now >= plusSeconds(circuit.probedAt, lastAttemptWaits * longest);
}

/** Whether the endpoint has failed for so long that it is given up. */
export function hasFailedTooLong(circuit: Circuit, now: Instant, rules: CircuitRules): boolean {
  return circuit.state === 'OPEN' && secondsBetween(circuit.since, now) >= rules.disableAfterSeconds;
}

/** Whether its failed calls count. */
export function isCounting(circuit: Circuit): circuit is Extract<Circuit, { state: 'CLOSED' | 'BUSY' }> {
  return circuit.state === 'CLOSED' || circuit.state === 'BUSY';
}

function probeDelay(probes: number, { probeDelaysSeconds: delays }: CircuitRules): number {
  return delays[Math.min(probes, delays.length - 1)] ?? 0;
}
