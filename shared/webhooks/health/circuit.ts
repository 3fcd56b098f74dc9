import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { CountedFailure, Backlog, Slot } from '../backlog/model.ts';
import type { BacklogName, Delivery } from '#shared/platform/outbox/delivery.ts';
import { changeBacklog, backlogGraceSeconds } from '../backlog/model.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';

/*
 * The circuit of an endpoint. Closed it counts failed calls in a row; half-open it sends one deferred delivery after
 * the other as a probe; the first success closes it. Each function returns the state to write, or undefined for no
 * write: a healthy endpoint costs none.
 */

/** When a circuit opens, its probes, and when it disables the endpoint. A setting of the environment. */
export type CircuitRules = {
  /** Failed calls in a row … */
  readonly failures: number;
  /** … over at least so many deliveries … */
  readonly deliveries: number;
  /** … within so many seconds. */
  readonly windowSeconds: number;
  /** Or timeouts in a row, over as many deliveries. */
  readonly timeouts: number;
  /** Waits before the first, second, … probe, whole seconds, at most 900; the last one holds for all that follow. */
  readonly probeDelaysSeconds: readonly number[];
  /** Open for so long, the endpoint becomes inactive. */
  readonly disableAfterSeconds: number;
};

/** A probe may be a delivery's last attempt only after this many of the longest waits. */
const lastAttemptWaits = 24;

/** A call failed. Undefined while the circuit is open or the endpoint held. */
export function countFailure(backlog: Backlog, failure: CountedFailure, rules: CircuitRules): Backlog | undefined {
  if (backlog.open !== undefined || backlog.held !== undefined) return undefined;
  const failures = [...(backlog.failures ?? []), failure].slice(-rules.failures);
  return openCircuit({ ...backlog, failures }, failure.at, rules) ?? changeBacklog(backlog, { failures });
}

/** Opens the circuit if enough failures are counted. Undefined if not, or while it is open or held. */
export function openCircuit(backlog: Backlog, at: Instant, rules: CircuitRules): Backlog | undefined {
  if (backlog.open !== undefined || backlog.held !== undefined) return undefined;
  // Workers that fail at once append: there may be more than count.
  const failures = (backlog.failures ?? []).slice(-rules.failures);
  if (!areEnough(failures, rules)) return undefined;
  const failingSince = failures[0]?.at ?? at;
  const open = { at, failingSince, probes: 0, probedAt: at };
  return changeBacklog(backlog, {
    open,
    failures: undefined,
    releasedAt: undefined,
    // A delivery released before is no probe: its outcome does not time the first probe.
    inFlight: undefined,
    dueAt: plusSeconds(at, probeDelay(0, rules)),
  });
}

/** A call succeeded. Undefined without a counted failure. */
export function countSuccess(backlog: Backlog, at: Instant): Backlog | undefined {
  if (backlog.open !== undefined) return changeBacklog(backlog, { open: undefined, releasedAt: at, dueAt: at });
  if (backlog.failures === undefined) return undefined;
  return changeBacklog(backlog, { failures: undefined });
}

/** When the next probe may go: the wait grows with every one that failed. */
export function nextProbeAt(open: NonNullable<Backlog['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, probeDelay(open.probes, rules));
}

/**
 * When a probe may be a delivery's last attempt. Earlier it would fail at an endpoint that is known to be down; never
 * would leave a backlog without a probe in which no delivery has two attempts left.
 */
export function nextLastAttemptAt(open: NonNullable<Backlog['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, lastAttemptWaits * longestProbeDelay(rules));
}

/** Seconds. After this the sweep visits a backlog without a probe; an earlier delivery is the probe. */
export function longestProbeDelay({ probeDelaysSeconds }: CircuitRules): number {
  return Math.max(0, ...probeDelaysSeconds);
}

/** Whether the circuit disables the endpoint. */
export function hasFailedTooLong(open: NonNullable<Backlog['open']>, now: Instant, rules: CircuitRules): boolean {
  return secondsBetween(open.at, now) >= rules.disableAfterSeconds;
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
 * The concurrency limit (bulkhead) of an endpoint: a long call takes a slot. With all slots taken, deliveries are
 * deferred. A hanging endpoint so holds a few workers until its circuit opens. A quick call costs nothing.
 */

/** A call that takes so long takes a slot. */
export const slotAfterMs = 1000;
export const maxSlots = 3;

/** Whether the endpoint is at its concurrency limit. The slot of a dead worker ends with its lease. */
function isAtLimit({ slots }: Backlog, now: Instant): boolean {
  return liveSlots(slots, now).length >= maxSlots;
}

/**
 * Takes a slot for a long call; undefined when none is free. The last slot also starts the release of the backlog,
 * unless its circuit is open or it is held.
 */
export function takeSlot(backlog: Backlog, slot: Slot, now: Instant): Backlog | undefined {
  if (isAtLimit(backlog, now)) return undefined;
  const slots = [...liveSlots(backlog.slots, now), slot];
  const isFull = slots.length >= maxSlots && backlog.open === undefined && backlog.held === undefined;
  const release = { releasedAt: now, dueAt: backlog.dueAt ?? plusSeconds(now, backlogGraceSeconds) };
  return changeBacklog(backlog, { slots, ...(isFull && release) });
}

/** Frees the slot of this delivery. Undefined when it has none. */
export function freeSlot(backlog: Backlog, deliveryId: string): Backlog | undefined {
  const slots = backlog.slots?.filter((slot) => slot.deliveryId !== deliveryId);
  if (slots === undefined || slots.length === backlog.slots?.length) return undefined;
  return changeBacklog(backlog, { slots: slots.length > 0 ? slots : undefined });
}

function liveSlots(slots: readonly Slot[] = [], now: Instant): readonly Slot[] {
  return slots.filter(({ until }) => until > now);
}

/**
 * Where a delivery may go now. `hold`: nowhere, until settings or the operator change that. `defer`: not while its
 * endpoint fails or is at its limit.
 */
export type Admission =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'hold'; readonly backlog: BacklogName }
  | { readonly to: 'defer'; readonly backlog: BacklogName };

/** The backlog of the delivery's present endpoint, with its circuit. */
export type EndpointHealth = { readonly name: BacklogName; readonly backlog: Backlog | undefined };

/**
 * Decides where a delivery may go. An open circuit defers deliveries without an attempt; the others keep their backoff.
 * The concurrency limit defers both. The delivery that this backlog released is admitted.
 * @param health of the present endpoint; undefined without one
 */
export function admit(
  delivery: Pick<Delivery, 'target' | 'attempts' | 'claim' | 'releasedFrom'>,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  health: EndpointHealth | undefined,
  now: Instant,
): Admission {
  const { target } = delivery;
  if (settings.heldSince !== undefined) return { to: 'hold', backlog: 'company' };
  const endpoint = addressOf(target, settings);
  if (endpoint === undefined || health === undefined)
    return { to: 'hold', backlog: 'type' in target ? typeBacklog(target.type) : 'company' };
  const { name, backlog } = health;
  if (backlog?.held !== undefined) return { to: 'hold', backlog: name };
  const hasBegun = delivery.attempts.length > 0 || delivery.claim !== undefined;
  const isStopped = backlog !== undefined && ((backlog.open !== undefined && !hasBegun) || isAtLimit(backlog, now));
  if (isStopped && delivery.releasedFrom?.backlog !== name) return { to: 'defer', backlog: name };
  return { to: 'endpoint', endpoint };
}
