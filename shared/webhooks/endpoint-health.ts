import type { Instant } from '../core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '../core/brasilia-time.ts';
import type { CountedFailure, Line, SlowCall, LineName } from '../platform/outbox/backlog.ts';
import { changeLine, lineGraceSeconds, typeLine } from '../platform/outbox/backlog.ts';
import type { Delivery } from '../platform/outbox/delivery.ts';
import type { WebhookSettings } from './settings.ts';
import { addressOf } from './settings.ts';

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
function isBusy({ slow }: Line, now: Instant): boolean {
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

/**
 * Where a delivery may go now. `hold`: nowhere until somebody changes that. `pause`: not while its endpoint fails or is
 * busy.
 */
export type Passage =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'hold'; readonly line: LineName }
  | { readonly to: 'pause'; readonly line: LineName };

/** What is known of the line of the delivery's present endpoint. */
export type EndpointLine = { readonly name: LineName; readonly line: Line | undefined };

/**
 * Decides where a delivery may go. An open circuit stops what has not begun; attempts that have begun keep their
 * schedule. An endpoint with as many slow calls as it may have stops both. The delivery whose turn it is in that very
 * line passes.
 *
 * @param endpointLine of the address that `addressOf` gives; undefined when there is none
 */
export function passageOf(
  delivery: Pick<Delivery, 'target' | 'attempts' | 'claim' | 'turn'>,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  endpointLine: EndpointLine | undefined,
  now: Instant,
): Passage {
  const { target } = delivery;
  if (settings.heldSince !== undefined) return { to: 'hold', line: 'company' };
  const endpoint = addressOf(target, settings);
  if (endpoint === undefined || endpointLine === undefined)
    return { to: 'hold', line: 'type' in target ? typeLine(target.type) : 'company' };
  const { name, line } = endpointLine;
  if (line?.held !== undefined) return { to: 'hold', line: name };
  const hasBegun = delivery.attempts.length > 0 || delivery.claim !== undefined;
  const isStopped = line !== undefined && ((line.open !== undefined && !hasBegun) || isBusy(line, now));
  if (isStopped && delivery.turn?.line !== name) return { to: 'pause', line: name };
  return { to: 'endpoint', endpoint };
}
