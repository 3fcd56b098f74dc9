import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { CountedFailure, Backlog, Slot } from '../backlog/model.ts';
import type { BacklogName, Delivery } from '#shared/platform/outbox/delivery.ts';
import { changeBacklog, backlogGraceSeconds } from '../backlog/model.ts';
import { typeBacklog } from '#shared/platform/outbox/delivery.ts';
import type { WebhookSettings } from '../settings.ts';
import { addressOf } from '../settings.ts';

/*
 * The circuit of an endpoint: closed, it counts failed calls in a row; open, it releases one deferred delivery at a
 * time as a probe; the first success closes it. Each function gives the state to write, or undefined when there is
 * nothing to write: an endpoint that answers costs no write.
 */

/**
 * When a circuit opens, how often it is probed, and when it disables the endpoint. Configuration of the environment.
 */
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
  readonly disableAfterSeconds: number;
};

/** A probe may be a delivery's last attempt only after this many of the longest waits. */
const lastAttemptWaits = 24;

/** A call failed. Undefined while the circuit is open or the endpoint held: then nothing is counted. */
export function countFailure(backlog: Backlog, failure: CountedFailure, rules: CircuitRules): Backlog | undefined {
  if (backlog.open !== undefined || backlog.held !== undefined) return undefined;
  const failures = [...(backlog.failures ?? []), failure].slice(-rules.failures);
  return openCircuit({ ...backlog, failures }, failure.at, rules) ?? changeBacklog(backlog, { failures });
}

/**
 * Opens the circuit if the failures that are counted are enough for that; undefined if not, or if it is open or held.
 */
export function openCircuit(backlog: Backlog, at: Instant, rules: CircuitRules): Backlog | undefined {
  if (backlog.open !== undefined || backlog.held !== undefined) return undefined;
  // Workers that fail at once append, so that there may be more than count.
  const failures = (backlog.failures ?? []).slice(-rules.failures);
  if (!areEnough(failures, rules)) return undefined;
  const failingSince = failures[0]?.at ?? at;
  const open = { at, failingSince, probes: 0, probedAt: at };
  return changeBacklog(backlog, {
    open,
    failures: undefined,
    releasedAt: undefined,
    // A delivery that was released before is no probe: its end does not decide when the first probe goes.
    inFlight: undefined,
    dueAt: plusSeconds(at, probeDelay(0, rules)),
  });
}

/** A call was answered well. Undefined when nothing was counted against the endpoint. */
export function countSuccess(backlog: Backlog, at: Instant): Backlog | undefined {
  if (backlog.open !== undefined) return changeBacklog(backlog, { open: undefined, releasedAt: at, dueAt: at });
  if (backlog.failures === undefined) return undefined;
  return changeBacklog(backlog, { failures: undefined });
}

/** When the next probe may go: after a wait that grows with every one that failed. */
export function nextProbeAt(open: NonNullable<Backlog['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, probeDelay(open.probes, rules));
}

/**
 * When a probe may be a delivery's last attempt. Earlier the delivery would be lost to an endpoint that is known to be
 * down; never, a backlog in which no delivery has two attempts left would not find out that the endpoint is back.
 */
export function nextLastAttemptAt(open: NonNullable<Backlog['open']>, rules: CircuitRules): Instant {
  return plusSeconds(open.probedAt, lastAttemptWaits * longestProbeDelay(rules));
}

/**
 * Seconds. A backlog without a possible probe is looked at again after this; a delivery that comes earlier is the
 * probe.
 */
export function longestProbeDelay({ probeDelaysSeconds }: CircuitRules): number {
  return Math.max(0, ...probeDelaysSeconds);
}

/** Whether the endpoint has been failing for so long that it becomes inactive. */
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
 * The bulkhead of an endpoint: calls that take long are kept in its backlog, and while there are enough of them no
 * further call is made there. So an endpoint that hangs holds a few workers until its circuit opens, and not all of
 * them. A quick call is not kept and costs nothing.
 */

/** A call that has taken so long takes a slot. */
export const slotAfterMs = 1000;
/**
 * With so many slots taken further deliveries wait in the endpoint's backlog, and go out one after the other.
 */
export const maxSlots = 3;

/** Whether the endpoint is at its concurrency limit. Slots of workers that died end with their lease. */
function isAtLimit({ slots }: Backlog, now: Instant): boolean {
  return liveSlots(slots, now).length >= maxSlots;
}

/**
 * Takes a slot for a call that takes long. The last slot also begins the release of the backlog: at the limit every
 * backlog is being released, or its circuit is open, or it is held. Undefined when no slot is free.
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
 * Where a delivery may go now. `hold`: nowhere until the settings or the operator change that. `defer`: not while its
 * endpoint fails or is at its limit.
 */
export type Admission =
  | { readonly to: 'endpoint'; readonly endpoint: string }
  | { readonly to: 'hold'; readonly backlog: BacklogName }
  | { readonly to: 'defer'; readonly backlog: BacklogName };

/** What is known of the backlog of the delivery's present endpoint. */
export type EndpointHealth = { readonly name: BacklogName; readonly backlog: Backlog | undefined };

/**
 * Decides where a delivery may go. An open circuit stops what has not begun; attempts that have begun keep their
 * schedule. An endpoint at its concurrency limit stops both. The delivery that this very backlog has released is
 * admitted.
 *
 * @param endpointBacklog of the address that `addressOf` gives; undefined when there is none
 */
export function admit(
  delivery: Pick<Delivery, 'target' | 'attempts' | 'claim' | 'releasedFrom'>,
  settings: Pick<WebhookSettings, 'events' | 'heldSince'>,
  endpointBacklog: EndpointHealth | undefined,
  now: Instant,
): Admission {
  const { target } = delivery;
  if (settings.heldSince !== undefined) return { to: 'hold', backlog: 'company' };
  const endpoint = addressOf(target, settings);
  if (endpoint === undefined || endpointBacklog === undefined)
    return { to: 'hold', backlog: 'type' in target ? typeBacklog(target.type) : 'company' };
  const { name, backlog } = endpointBacklog;
  if (backlog?.held !== undefined) return { to: 'hold', backlog: name };
  const hasBegun = delivery.attempts.length > 0 || delivery.claim !== undefined;
  const isStopped = backlog !== undefined && ((backlog.open !== undefined && !hasBegun) || isAtLimit(backlog, now));
  if (isStopped && delivery.releasedFrom?.backlog !== name) return { to: 'defer', backlog: name };
  return { to: 'endpoint', endpoint };
}
