import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds, secondsBetween } from '#shared/core/brasilia-time.ts';
import type { Attempt, Claim, Delivery, BacklogName } from '#shared/platform/outbox/delivery.ts';
import { maxCountedFailures } from '#shared/platform/outbox/delivery.ts';
import type { Admission } from '../health/circuit.ts';

/*
 * Every change of a delivery's state. The table counts the attempts; a message of the queue only says that an attempt
 * may be due. The functions return the state to write, one version higher. The write requires the version that was
 * read: of two concurrent decisions only one is written.
 */

/** `UNKNOWN` attempts that do not count: their worker died. */
const maxForgiven = 2;
/** Receives of a message before it is a dead letter (`maxReceiveCount`): the last receive is the last attempt. */
export const receivesPerDispatch = maxCountedFailures;
/** Seconds. The lease of a claim is longer than a call may take: after it the worker with the claim counts as dead. */
const leaseSeconds = 20;

/** Clocks of two machines differ by less: a call this early is on time. */
const punctualSeconds = 1;
/** Limit on how often the sweep's backoff doubles. */
const maxDoublings = 5;

/** A message of the queue. */
export type QueueMessage = { readonly id: string; readonly dispatch: number; readonly receives: number };

type Reason = 'stale-dispatch' | 'stale-copy' | 'delivered' | 'held' | 'deferred';
type Next = { readonly delivery: Delivery };
type Dispatch = Next & { readonly notBefore: Instant };
/** The attempt is due: the worker calls the endpoint. `delivery` is the state with the claim. */
export type Call = { readonly do: 'call'; readonly claim: Claim; readonly endpoint: string } & Next;

/** The action for a received message. The worker first writes the `delivery`. */
type Decision =
  /** The message causes no action. */
  | { readonly do: 'ack'; readonly because: Reason }
  /** The delivery has failed. Its message is not acknowledged, and so becomes the dead letter. */
  | { readonly do: 'dead-letter' }
  | { readonly do: 'wait'; readonly until: Instant }
  /** No attempt may begin yet, and this was the last receive of the message: a new dispatch replaces it. */
  | ({ readonly do: 're-enqueue' } & Dispatch)
  /** `hold`, `defer`: the delivery waits in a backlog, without a message. `fail`: it fails without a call. */
  | ({ readonly do: 'hold' | 'defer' | 'fail' } & Next)
  | Call;

type Facts = { readonly now: Instant; readonly claimId: string; readonly admission: Admission };

/** Decides about a received message. */
export function decide(delivery: Delivery, message: QueueMessage, facts: Facts): Decision {
  const { now, admission } = facts;
  const { claim, status, nextAttemptAt = now } = delivery;
  const because = reasonToPass(delivery, message);
  if (because !== undefined) return { do: 'ack', because };
  if (status === 'FAILED' && delivery.messageId !== undefined) return { do: 'dead-letter' };
  const isLast = message.receives >= receivesPerDispatch;
  const postpone = (until: Instant): Decision =>
    isLast ? { do: 're-enqueue', ...dispatchAt(until, delivery) } : { do: 'wait', until };
  if (claim !== undefined && now < claim.leaseUntil) return postpone(claim.leaseUntil);
  const known = { ...withoutClaim(delivery), messageId: message.id };
  if (status === 'FAILED' || countedFailures(known) >= maxCountedFailures)
    return { do: 'fail', delivery: change(resting(known), { status: 'FAILED' }) };
  if (admission.to === 'hold') return { do: 'hold', delivery: hold(known, admission.backlog, now) };
  if (isEarly(nextAttemptAt, now)) return postpone(nextAttemptAt);
  // Only a due delivery joins a backlog: it loses `nextAttemptAt`, and is sent as soon as it leaves the backlog.
  const { to, backlog, endpoint } = admission;
  if (to === 'defer') return { do: 'defer', delivery: change(resting(known), { backlog }) };
  return callUnderClaim(known, endpoint, facts);
}

function reasonToPass({ dispatch, status, backlog, messageId }: Delivery, message: QueueMessage): Reason | undefined {
  if (message.dispatch !== dispatch) return 'stale-dispatch';
  if (status === 'DELIVERED') return 'delivered';
  if (status === 'HELD') return 'held';
  if (backlog !== undefined) return 'deferred';
  return messageId !== undefined && messageId !== message.id ? 'stale-copy' : undefined;
}

function isEarly(nextAttemptAt: Instant, now: Instant): boolean {
  return plusSeconds(now, punctualSeconds) < nextAttemptAt;
}

function callUnderClaim(known: Delivery, endpoint: string, { now, claimId }: Facts): Call {
  const claim = { id: claimId, number: known.attempts.length + 1, at: now, leaseUntil: plusSeconds(now, leaseSeconds) };
  return { do: 'call', delivery: change(known, { claim, endpoint }), claim, endpoint };
}

/** The result of a call. `isUnreached`: it failed before the request was sent (target, name, connection or TLS). */
export type CallResult = Pick<Attempt, 'httpStatus' | 'error' | 'durationMs' | 'returnCode'> & {
  readonly outcome: 'DELIVERED' | 'FAILED';
  readonly isUnreached?: true;
};

/** The action after a call. The worker first writes the `delivery`; for `re-enqueue` together with a dispatch. */
export type RecordedOutcome =
  ({ readonly do: 'ack' | 'dead-letter' } & Next) | ({ readonly do: 'retry' | 're-enqueue' } & Dispatch);

/** Source of an attempt: an SQS message, a drain, or its probe. A failed probe leaves the delivery in the backlog. */
export type AttemptSource = Pick<QueueMessage, 'dispatch' | 'receives'> | 'drain' | 'probe';

/** Records the outcome of the call under this claim; undefined when the claim is not open. */
export function recordOutcome(
  delivery: Delivery,
  source: AttemptSource,
  call: {
    readonly claimId: string;
    readonly result: CallResult;
    readonly now: Instant;
    readonly delays: readonly number[];
    readonly fraction: number;
  },
): RecordedOutcome | undefined {
  const { claim, ...rest } = delivery;
  if (claim?.id !== call.claimId) return undefined;
  const { isUnreached: _, ...result } = call.result;
  const attempts = [...rest.attempts, { number: claim.number, claimId: claim.id, at: claim.at, ...result }];
  const known = resting({ ...rest, attempts });
  if (result.outcome === 'DELIVERED') return { do: 'ack', delivery: change(known, { status: 'DELIVERED' }) };
  const isDrained = typeof source === 'string';
  const isSuperseded = !isDrained && source.dispatch !== delivery.dispatch;
  const failures = countedFailures(known);
  if (failures >= maxCountedFailures)
    return isDrained
      ? { do: 're-enqueue', ...dispatchAt(call.now, known) }
      : { do: isSuperseded ? 'ack' : 'dead-letter', delivery: change(known, { status: 'FAILED' }) };
  const notBefore = plusSeconds(call.now, retryDelaySeconds(call.delays, failures, call.fraction));
  if (source === 'probe') return { do: 'ack', delivery: change({ ...rest, attempts }, { nextAttemptAt: notBefore }) };
  if (isDrained || (!isSuperseded && source.receives >= receivesPerDispatch))
    return { do: 're-enqueue', ...dispatchAt(notBefore, { ...known, nextAttemptAt: notBefore }) };
  const waiting = change(known, { nextAttemptAt: notBefore, dueAt: notBefore });
  return isSuperseded ? { do: 'ack', delivery: waiting } : { do: 'retry', delivery: waiting, notBefore };
}

/** Whether the outcome under this claim is recorded already, by a write whose response was lost. */
export function isRecorded(delivery: Delivery, claimId: string): boolean {
  return delivery.attempts.some((attempt) => attempt.claimId === claimId && attempt.outcome !== 'UNKNOWN');
}

/** Seconds. A release does not send a delivery that was held longer; the partner can resend it. */
const releasedSeconds = 7 * 86_400;

/** The action of a drain for a delivery of its backlog. It first writes the `delivery`. */
type DrainDecision =
  /** No action now. `until`: the time from which one is possible. */
  | { readonly do: 'pass'; readonly until?: Instant }
  /** The delivery becomes `HELD`, changes to another backlog, or leaves all backlogs. */
  | ({ readonly do: 'write' } & Next)
  /** An SQS message makes the next attempt. After the last counted failure it fails the delivery: a dead letter. */
  | ({ readonly do: 'dispatch' } & Dispatch)
  | Call;

/**
 * Decides about a delivery that waits in this backlog.
 * @param isProbed whether a circuit of its endpoint is open or half-open
 * @param isReaddressed whether the backlog is that of another address or origin than its subscription has now
 */
export function decideDrained(
  delivery: Delivery,
  backlog: BacklogName,
  facts: Facts & { readonly isProbed: boolean; readonly isReaddressed: boolean },
): DrainDecision {
  const { now, admission } = facts;
  const { claim, status, heldAt = now, nextAttemptAt = now } = delivery;
  if (delivery.backlog !== backlog) return { do: 'pass' };
  if (claim !== undefined && now < claim.leaseUntil) return { do: 'pass', until: claim.leaseUntil };
  const known = withoutClaim(delivery);
  const write = (next: Delivery): DrainDecision => ({ do: 'write', delivery: next });
  if (countedFailures(known) >= maxCountedFailures) return { do: 'dispatch', ...dispatchAt(now, resting(known)) };
  if (admission.to === 'hold') {
    if (status !== 'HELD') return write(hold(known, admission.backlog, now));
    // A held delivery waits in the backlog that is drained when the hold ends.
    return admission.backlog === backlog ? { do: 'pass' } : write(change(known, { backlog: admission.backlog }));
  }
  if (status === 'HELD' && secondsBetween(heldAt, now) > releasedSeconds) return write(change(resting(known), {}));
  const { heldAt: _, ...pending } = { ...known, status: 'PENDING' as const };
  // A circuit with another backlog stops it: it waits there, and does not delay the other deliveries of this backlog.
  const isOfOthers = !backlog.startsWith('address:') || facts.isReaddressed;
  if (admission.to === 'defer' && admission.backlog !== backlog && isOfOthers)
    return write(change(pending, { backlog: admission.backlog }));
  if (!isEarly(nextAttemptAt, now)) return callUnderClaim(pending, admission.endpoint, facts);
  if (facts.isProbed) return { do: 'pass', until: nextAttemptAt };
  return { do: 'dispatch', ...dispatchAt(nextAttemptAt, { ...resting(pending), nextAttemptAt }) };
}

/** Returns a held delivery with a new dispatch, out of its backlog; undefined when it is not held. */
export function sendHeld(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  return sendAgain({ ...resting(delivery), status: 'PENDING', nextAttemptAt: now }, now);
}

/**
 * Returns an overdue delivery with a new dispatch: after the grace its message must be lost, or be a dead letter. The
 * backoff keeps a slow queue from getting more and more messages.
 */
export function reenqueueOverdue(delivery: Delivery, now: Instant, graceSeconds: number): Delivery | undefined {
  const { status, dueAt, claim } = delivery;
  if (status !== 'PENDING' || dueAt === undefined || plusSeconds(dueAt, graceSeconds) > now) return undefined;
  if (claim !== undefined && claim.leaseUntil > now) return undefined;
  const backoff = (2 ** Math.min(delivery.dispatch, maxDoublings) - 1) * graceSeconds;
  return sendAgain(delivery, plusSeconds(laterOf(delivery.nextAttemptAt, now), backoff));
}

/** Seconds. A claim that began less than this before a redrive may be of a worker that started after the restart. */
const restartSeconds = 5;

/**
 * Returns a pending delivery with a new dispatch after a restart: the workers from before the restart are dead, and
 * their claims end now. Undefined for a delivery that is not pending or waits in a backlog.
 * @param startedAt start of the redrive: workers that started after the restart are alive
 */
export function redrive(delivery: Delivery, now: Instant, startedAt: Instant): Delivery | undefined {
  if (delivery.status !== 'PENDING' || delivery.backlog !== undefined) return undefined;
  const { claim } = delivery;
  const isDead = claim !== undefined && claim.at <= plusSeconds(startedAt, -restartSeconds) && claim.leaseUntil > now;
  const dead = isDead ? { ...delivery, claim: { ...claim, leaseUntil: now } } : delivery;
  return sendAgain(dead, laterOf(delivery.nextAttemptAt, now));
}

/** Failures that count: the partner's, and the `UNKNOWN` attempts beyond the forgiven ones. */
export function countedFailures({ attempts }: Pick<Delivery, 'attempts'>): number {
  return countedAttempts({ attempts }) - attempts.filter(({ outcome }) => outcome === 'DELIVERED').length;
}

/** Counts the attempts without the forgiven `UNKNOWN` ones. */
export function countedAttempts({ attempts }: Pick<Delivery, 'attempts'>): number {
  const unknown = attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length;
  return attempts.length - Math.min(unknown, maxForgiven);
}

/** Records the attempt of an open claim as `UNKNOWN`: its worker is dead. */
function withoutClaim({ claim, ...rest }: Delivery): Delivery {
  if (claim === undefined) return rest;
  const { id: claimId, number, at } = claim;
  return { ...rest, attempts: [...rest.attempts, { number, claimId, at, outcome: 'UNKNOWN' }] };
}

/** Returns the delivery without claim, due attempt, backlog and hold. */
function resting(delivery: Delivery): Delivery {
  const { claim: _claim, nextAttemptAt: _next, dueAt: _due, backlog: _backlog, heldAt: _heldAt, ...rest } = delivery;
  return rest;
}

function hold(known: Delivery, backlog: BacklogName, now: Instant): Delivery {
  return change(resting(known), { status: 'HELD', heldAt: now, backlog });
}

function dispatchAt(notBefore: Instant, delivery: Delivery): Dispatch {
  return { delivery: sendAgain(delivery, notBefore), notBefore };
}

/** Adds a new dispatch, whose message no worker has received yet. */
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

/** The longest random extension of a wait, as a fraction: deliveries that failed together are not retried together. */
export const jitter = 0.2;

/** Returns the waits before all retries, seconds, without jitter. If there are fewer delays, the last one repeats. */
export function allRetryDelays(delays: readonly number[]): readonly number[] {
  return Array.from({ length: maxCountedFailures - 1 }, (_, place) => retryDelaySeconds(delays, place + 1, 0));
}

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
