import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { BacklogName, CircuitName } from '#shared/platform/outbox/delivery.ts';

/*
 * The circuit of an address, or of an origin (scheme, host, port). A healthy one has no record. Pure: `health.ts` keeps
 * the circuits of a company, and docs/decisions/015 draws the states.
 */

/** Rules of when a circuit opens, when it probes, and when its endpoint is given up. A setting of the environment. */
export type CircuitRules = {
  /** Failed calls in a row, over at least so many deliveries, within so many seconds … */
  readonly failures: number;
  readonly deliveries: number;
  readonly windowSeconds: number;
  /** … or timeouts in a row, over as many deliveries. */
  readonly timeouts: number;
  /** Waits before the first, second, … probe, whole seconds, at most 900; the last one holds for all that follow. */
  readonly probeDelaysSeconds: readonly number[];
  /** After so many seconds in state `OPEN` the endpoint is disabled. */
  readonly disableAfterSeconds: number;
};

/** Counts of failed calls in a row. */
export type Failures = {
  /** Id of the count. A circuit names its count by this id. If the item has another id, that count has ended. */
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

/** A failed call. `earlier`: the times at which earlier attempts of its delivery began. */
export type FailedCall = { readonly at: Instant; readonly earlier: readonly Instant[]; readonly reason: string };

/** The count of failed calls that a circuit uses, and the time until which it uses it unless a further call fails. */
export type CountInUse = { readonly id: string; readonly until: Instant };

/** The states of a circuit, the mildest first. */
export const circuitStates = ['CLOSED', 'BUSY', 'HALF_OPEN', 'OPEN', 'HELD'] as const satisfies Circuit['state'][];

/**
 * The circuit of an address or origin, `url`. `counted`: the count of its failed calls in a row, which is an item of
 * its own (`failures.ts`).
 * - `CLOSED`: until `until` an origin counts as alive, because it has answered lately.
 * - `BUSY`: it answers slowly, or has more deliveries than calls allowed. `BUSY` ends unless a call prolongs it.
 * - `OPEN`: only probes are sent. `probes`: how many failed. `probedAt`: the last of them, or the opening if none did.
 * - `HALF_OPEN`: it answers again; the waiting deliveries are sent in growing numbers.
 * - `HELD`: no delivery is sent. `by: CIRCUIT`: the endpoint was given up, because it failed for days.
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
 * Whether a delivery may be sent now. `hold`: not before the settings change or a release, `by` this circuit if any.
 * `defer`: not while its endpoint fails or is busy (`stopping`: the circuits that stop it), or while many endpoints of
 * the company are busy. `backlog`: where the delivery waits if it must.
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
 * Whether a delivery waits for the circuit. A delivery that has begun keeps its retry schedule at an endpoint that
 * fails. At an endpoint that hangs or is busy it waits too, because its call would occupy a worker.
 */
export function isStopping(circuit: Circuit, hasBegun: boolean, now: Instant): boolean {
  if (isOver(circuit, now)) return false;
  if (circuit.state === 'OPEN') return !hasBegun || circuit.reason === 'TIMEOUT';
  return isBusy(circuit, now) || (circuit.state === 'HALF_OPEN' && !hasBegun);
}

export function isBusy(circuit: Circuit, now: Instant): boolean {
  return circuit.state === 'BUSY' && circuit.until > now;
}

/** Whether the record has expired. An open circuit is probed while deliveries wait for it, and so does not expire. */
export function isOver(circuit: Circuit, now: Instant): boolean {
  if (circuit.state === 'OPEN') return plusSeconds(circuit.probeAt, forgottenSeconds) <= now;
  return isCounting(circuit) && circuit.until <= now && (circuit.counted?.until ?? '') <= now;
}

/** Returns the circuit as it is now: an expired `BUSY` circuit is `CLOSED`, with the same count. */
export function asOf(circuit: Circuit, now: Instant): Circuit {
  return circuit.state === 'BUSY' && !isBusy(circuit, now) ? { ...circuit, state: 'CLOSED' } : circuit;
}

/** Whether an origin has answered within the last minute: then a call that hangs does not count against it. */
export function isAlive(circuit: Circuit, now: Instant): boolean {
  return circuit.state === 'CLOSED' && circuit.until > now;
}

/** Returns the circuit after an answer; the same one while half of its time is left: not every answer writes. */
export function alive(current: Circuit, now: Instant): Circuit {
  if (!isCounting(current)) return current;
  if (current.state === 'CLOSED' && current.until > plusSeconds(now, aliveSeconds / 2)) return current;
  return { ...current, state: 'CLOSED', until: plusSeconds(now, aliveSeconds) };
}

/** Begins a count of failed calls, unless the circuit has a count other than `endedCount`, which has ended. */
export function beginCount(current: Circuit, id: string, now: Instant, endedCount?: string): Circuit {
  if (!isCounting(current) || (current.counted !== undefined && current.counted.id !== endedCount)) return current;
  return { ...current, counted: { id, until: plusSeconds(now, forgottenSeconds) } };
}

/** Returns the circuit after a failed call: it opens if the rules say so. @param failures including this call */
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
  // Prolonged only when less than half of the time is left: not every failure writes.
  const isKnown = current.counted.until > plusSeconds(now, forgottenSeconds / 2);
  return isKnown ? current : { ...current, counted: { ...current.counted, until } };
}

/** Returns the circuit after a failed probe, with the time of the next one. */
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

/** Returns the circuit after a success, for an origin after any answer. @param endedCountId the count that it ended */
export function afterSuccess(current: Circuit, endedCountId: string | undefined, now: Instant): Circuit {
  if (current.state === 'OPEN') return halfOpen(current, now);
  if (!isCounting(current) || endedCountId === undefined || current.counted?.id !== endedCountId) return current;
  const { counted: _, ...rest } = current;
  return rest;
}

export function halfOpen({ name, url }: Circuit, now: Instant): Circuit {
  return { name, url, state: 'HALF_OPEN', since: now };
}

/** Makes the circuit `BUSY` or prolongs that: new deliveries wait for the drain. Same circuit when nothing changes. */
export function markBusy(current: Circuit, now: Instant): Circuit {
  if (!isCounting(current)) return current;
  // Prolonged only when less than half of the time is left: not every slow call writes.
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
