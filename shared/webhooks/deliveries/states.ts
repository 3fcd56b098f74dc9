import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Attempt, Claim, Delivery, BacklogName } from '#shared/platform/outbox/delivery.ts';
import type { Admission } from '../health/circuit.ts';

/*
 * Every change of a delivery's state. The table counts the attempts; a message of the queue only says that one may be
 * due. Each function returns the state to write (one version higher) or undefined. The write requires the version that
 * was read: of two decisions one counts.
 */

/** Failed attempts that count: the first one and four retries (specification, 6.1). */
export const maxCountedFailures = 5;
/** `UNKNOWN` attempts that do not count: their worker died. */
const maxForgiven = 2;
/** Receives of a message before it is a dead letter (`maxReceiveCount`): the last receive is the last attempt. */
export const receivesPerDispatch = maxCountedFailures;
/** Longer than a function may run: after it the holder of a claim is dead. */
const leaseSeconds = 20;

/** Clocks of two machines differ by less: a call this early is on time. */
const punctualSeconds = 1;
/** The sweep's backoff doubles at most so often. */
const maxDoublings = 5;

/** A message of the queue. */
export type QueueMessage = { readonly id: string; readonly dispatch: number; readonly receives: number };

type Reason = 'stale-dispatch' | 'stale-copy' | 'delivered' | 'held' | 'deferred';

/** What to do with a received message. The worker first writes the `delivery`. */
export type Decision =
  /** The message has nothing to do. */
  | { readonly do: 'ack'; readonly because: Reason }
  /** The delivery has failed, and this is its message: it becomes the dead letter. */
  | { readonly do: 'dead-letter' }
  | { readonly do: 'wait'; readonly until: Instant }
  /** Too early, and this was the last receive of the message: another dispatch takes over. */
  | { readonly do: 're-enqueue'; readonly delivery: Delivery; readonly notBefore: Instant }
  /** It waits in a backlog, without a message. */
  | { readonly do: 'hold' | 'defer'; readonly delivery: Delivery }
  /** Failed without a call: its last attempt is `UNKNOWN`, or it failed without its message. */
  | { readonly do: 'fail'; readonly delivery: Delivery }
  | { readonly do: 'call'; readonly delivery: Delivery; readonly claim: Claim; readonly endpoint: string };

/** Decides about a received message. */
export function decide(
  delivery: Delivery,
  message: QueueMessage,
  { now, claimId, admission }: { readonly now: Instant; readonly claimId: string; readonly admission: Admission },
): Decision {
  if (message.dispatch !== delivery.dispatch) return { do: 'ack', because: 'stale-dispatch' };
  if (delivery.status === 'DELIVERED') return { do: 'ack', because: 'delivered' };
  if (delivery.status === 'HELD') return { do: 'ack', because: 'held' };
  if (delivery.backlog !== undefined) return { do: 'ack', because: 'deferred' };
  if (delivery.messageId !== undefined && delivery.messageId !== message.id)
    return { do: 'ack', because: 'stale-copy' };
  if (delivery.status === 'FAILED')
    return delivery.messageId === undefined
      ? { do: 'fail', delivery: change(delivery, { messageId: message.id }) }
      : { do: 'dead-letter' };
  if (delivery.claim !== undefined && now < delivery.claim.leaseUntil)
    return postpone(delivery, message, delivery.claim.leaseUntil);
  const known = { ...withoutClaim(delivery), attempts: attemptsWithUnknown(delivery), messageId: message.id };
  if (countedFailures(known) >= maxCountedFailures) return { do: 'fail', delivery: end(known, 'FAILED') };
  if (admission.to === 'hold') return { do: 'hold', delivery: hold(known, admission.backlog, now) };
  const { nextAttemptAt = now } = delivery;
  if (plusSeconds(now, punctualSeconds) < nextAttemptAt) return postpone(delivery, message, nextAttemptAt);
  // Only a delivery that is due: one that leaves a backlog goes out at once.
  if (admission.to === 'defer') return { do: 'defer', delivery: defer(known, admission.backlog) };
  const { endpoint } = admission;
  const claim = { id: claimId, number: known.attempts.length + 1, at: now, leaseUntil: plusSeconds(now, leaseSeconds) };
  return { do: 'call', delivery: change(known, { claim, endpoint }), claim, endpoint };
}

/** How a call ended. */
export type CallResult = Pick<Attempt, 'httpStatus' | 'error' | 'durationMs' | 'returnCode'> & {
  readonly outcome: 'DELIVERED' | 'FAILED';
  /** Before the request was delivered: its host has no name, connection or TLS. */
  readonly isUnreached?: true;
};

/** What to do after a call. The worker first writes the `delivery`. */
export type RecordedOutcome =
  | { readonly do: 'ack' | 'dead-letter'; readonly delivery: Delivery }
  | { readonly do: 'retry' | 're-enqueue'; readonly delivery: Delivery; readonly notBefore: Instant };

/** Records the outcome of the call under this claim; undefined when the claim is not open. */
export function recordOutcome(
  delivery: Delivery,
  message: QueueMessage,
  call: {
    readonly claimId: string;
    readonly result: CallResult;
    readonly now: Instant;
    readonly delays: readonly number[];
    readonly fraction: number;
  },
): RecordedOutcome | undefined {
  const { claim } = delivery;
  if (claim?.id !== call.claimId) return undefined;
  const { isUnreached: _, ...result } = call.result;
  const attempt: Attempt = { number: claim.number, claimId: claim.id, at: claim.at, ...result };
  const { releasedFrom, ...known } = { ...withoutClaim(delivery), attempts: [...delivery.attempts, attempt] };
  if (call.result.outcome === 'DELIVERED') return { do: 'ack', delivery: end(known, 'DELIVERED') };
  const superseded = message.dispatch !== delivery.dispatch;
  const failures = countedFailures(known);
  if (failures >= maxCountedFailures) return { do: superseded ? 'ack' : 'dead-letter', delivery: end(known, 'FAILED') };
  if (releasedFrom?.probe === true) return { do: 'ack', delivery: defer(known, releasedFrom.backlog) };
  const notBefore = plusSeconds(call.now, retryDelaySeconds(call.delays, failures, call.fraction));
  const waiting = change(known, { nextAttemptAt: notBefore, dueAt: notBefore });
  if (superseded) return { do: 'ack', delivery: waiting };
  if (message.receives < receivesPerDispatch) return { do: 'retry', delivery: waiting, notBefore };
  return { do: 're-enqueue', delivery: sendAgain({ ...waiting, version: delivery.version }, notBefore), notBefore };
}

/** Whether the outcome under this claim is recorded: the response to the first write was lost. */
export function isRecorded(delivery: Delivery, claimId: string): boolean {
  return delivery.attempts.some((attempt) => attempt.claimId === claimId && attempt.outcome !== 'UNKNOWN');
}

/**
 * Releases a delivery from its backlog by a new dispatch. Undefined when it does not wait there.
 * @param notBefore now, or when a probe is due
 */
export function releaseDelivery(
  delivery: Delivery,
  from: { readonly backlog: BacklogName; readonly notBefore: Instant; readonly isProbe: boolean },
): Delivery | undefined {
  if (delivery.backlog !== from.backlog) return undefined;
  const { heldAt: _held, backlog, ...rest } = delivery;
  const releasedFrom = { backlog, ...(from.isProbe && { probe: true as const }) };
  return sendAgain({ ...rest, status: 'PENDING', releasedFrom, nextAttemptAt: from.notBefore }, from.notBefore);
}

/** A deferred delivery becomes `HELD`: its endpoint is disabled, or the operator holds it. */
export function holdWaiting(delivery: Delivery, backlog: BacklogName, now: Instant): Delivery | undefined {
  return delivery.status === 'PENDING' && delivery.backlog !== undefined ? hold(delivery, backlog, now) : undefined;
}

/** Parks a delivery that was held too long: it stays `HELD`, and no release reads it. */
export function park(delivery: Delivery): Delivery | undefined {
  return delivery.status === 'HELD' ? change(withoutBacklog(delivery), {}) : undefined;
}

/** A held delivery goes out by itself, from any backlog. Undefined when it is not held. */
export function sendHeld(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  return sendAgain({ ...withoutBacklog(delivery), status: 'PENDING', nextAttemptAt: now }, now);
}

function withoutBacklog({ heldAt: _heldAt, backlog: _backlog, ...rest }: Delivery): Delivery {
  return rest;
}

/** Whether the delivery is late enough that its message must be lost, or a dead letter. */
export function isOverdue({ status, dueAt, claim }: Delivery, now: Instant, graceSeconds: number): boolean {
  if (status !== 'PENDING' || dueAt === undefined || plusSeconds(dueAt, graceSeconds) > now) return false;
  return claim === undefined || claim.leaseUntil <= now;
}

/** A new dispatch of an overdue delivery, with backoff: a queue that is slow must not get ever more messages. */
export function reenqueueOverdue(delivery: Delivery, now: Instant, graceSeconds: number): Delivery | undefined {
  if (!isOverdue(delivery, now, graceSeconds)) return undefined;
  const backoff = (2 ** Math.min(delivery.dispatch, maxDoublings) - 1) * graceSeconds;
  return sendAgain(delivery, plusSeconds(laterOf(delivery.nextAttemptAt, now), backoff));
}

/** A new dispatch after a restart: all workers are dead, so that an open claim ends now. */
export function redrive(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'PENDING' || delivery.backlog !== undefined) return undefined;
  const { claim } = delivery;
  const dead = claim && claim.leaseUntil > now ? { ...delivery, claim: { ...claim, leaseUntil: now } } : delivery;
  return sendAgain(dead, laterOf(delivery.nextAttemptAt, now));
}

/** Failures that count: the partner's, and the `UNKNOWN` attempts beyond the forgiven ones. */
export function countedFailures({ attempts }: Pick<Delivery, 'attempts'>): number {
  const failed = attempts.filter(({ outcome }) => outcome === 'FAILED').length;
  const unknown = attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length;
  return failed + Math.max(0, unknown - maxForgiven);
}

function postpone(delivery: Delivery, message: QueueMessage, until: Instant): Decision {
  if (message.receives < receivesPerDispatch) return { do: 'wait', until };
  return { do: 're-enqueue', delivery: sendAgain(delivery, until), notBefore: until };
}

/** The attempts, an open claim as an `UNKNOWN` one. */
function attemptsWithUnknown({ attempts, claim }: Delivery): readonly Attempt[] {
  if (claim === undefined) return attempts;
  return [...attempts, { number: claim.number, claimId: claim.id, at: claim.at, outcome: 'UNKNOWN' }];
}

function withoutClaim({ claim: _, ...rest }: Delivery): Delivery {
  return rest;
}

function end(delivery: Delivery, status: 'DELIVERED' | 'FAILED' | 'HELD'): Delivery {
  return change(withoutMessage(delivery), { status });
}

function hold(delivery: Delivery, backlog: BacklogName, now: Instant): Delivery {
  return { ...end(delivery, 'HELD'), heldAt: now, backlog };
}

function defer(delivery: Delivery, backlog: BacklogName): Delivery {
  return change(withoutMessage(delivery), { backlog });
}

/** No attempt is due, and no backlog has it. */
function withoutMessage(delivery: Delivery): Delivery {
  const {
    claim: _claim,
    nextAttemptAt: _next,
    dueAt: _due,
    backlog: _backlog,
    releasedFrom: _from,
    ...rest
  } = delivery;
  return rest;
}

function sendAgain(delivery: Delivery, dueAt: Instant): Delivery {
  const { messageId: _, ...rest } = delivery;
  return change(rest, { dispatch: delivery.dispatch + 1, dueAt });
}

function change(delivery: Delivery, change: Partial<Delivery>): Delivery {
  return { ...delivery, ...change, version: delivery.version + 1 };
}

export function laterOf(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b;
}

/** A wait is longer by up to this part: deliveries that failed together are not retried together. */
export const jitter = 0.2;

/**
 * The backoff after a counted failure, whole seconds: its delay and the jitter.
 * @param delays after the first, second, … failure; the last one holds for all that follow
 * @param failures counted so far, from 1
 * @param fraction random, from 0 to below 1
 */
export function retryDelaySeconds(delays: readonly number[], failures: number, fraction: number): number {
  const delay = delays[Math.min(failures, delays.length) - 1] ?? 0;
  return delay + Math.floor(delay * jitter * fraction);
}
