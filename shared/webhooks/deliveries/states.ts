import type { Instant } from '#shared/core/brasilia-time.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import type { Attempt, Claim, Delivery, BacklogName } from '#shared/platform/outbox/delivery.ts';
import type { Admission } from '../health/circuit.ts';

/*
 * Every change of a delivery's state. The table counts the attempts, the queue carries them: a message only says that
 * something may have to be done, the delivery says what. Each function gives the state to write (one version higher) or
 * says that there is nothing to write; the write demands the version that was read, so that of two decisions one
 * counts.
 */

/** Attempts whose failure is the partner's: the specification's first one and four more (6.1). */
export const maxCountedFailures = 5;
/** Attempts without a known end that do not count: their worker died, which is not the partner's fault. */
const maxForgiven = 2;
/**
 * How often the queue hands out a message before it becomes a dead letter (`maxReceiveCount`): with every worker alive
 * the last receive is the last attempt.
 */
export const receivesPerDispatch = maxCountedFailures;
/** Longer than a function may run: when it is over, the holder of a claim is dead. */
const leaseSeconds = 20;

/** Clocks of two machines differ by less: a call that is early by this much is on time. */
const punctualSeconds = 1;
/** The sweep's backoff doubles up to this many times: a queue that is merely slow must not be filled further. */
const maxDoublings = 5;

/** A message of the queue: which dispatch it carries, and how often it was received. */
export type QueueMessage = { readonly id: string; readonly dispatch: number; readonly receives: number };

type Reason = 'stale-dispatch' | 'stale-copy' | 'delivered' | 'held' | 'deferred';

/** What a received message leads to. Where there is a `delivery`, it is written first. */
export type Decision =
  /** Nothing is left to do for this message. */
  | { readonly do: 'ack'; readonly because: Reason }
  /** The delivery has failed for good and this is its message: it goes to the dead letters without another call. */
  | { readonly do: 'dead-letter' }
  | { readonly do: 'wait'; readonly until: Instant }
  /** Too early as well, but this message may not be received again: another dispatch takes over. */
  | { readonly do: 're-enqueue'; readonly delivery: Delivery; readonly notBefore: Instant }
  /** It waits in a backlog, and no message carries it any more. */
  | { readonly do: 'hold' | 'defer'; readonly delivery: Delivery }
  /** Failed for good without a call, since an attempt without a known end was the last one; or its message found. */
  | { readonly do: 'fail'; readonly delivery: Delivery }
  | { readonly do: 'call'; readonly delivery: Delivery; readonly claim: Claim; readonly endpoint: string };

/** Decides about a received message. `admission` says where the delivery may go now. */
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
  if (isLeased(delivery, now) && delivery.claim !== undefined)
    return postpone(delivery, message, delivery.claim.leaseUntil);
  const known = { ...withoutClaim(delivery), attempts: attemptsWithUnknown(delivery), messageId: message.id };
  if (countedFailures(known) >= maxCountedFailures) return { do: 'fail', delivery: end(known, 'FAILED') };
  if (admission.to === 'hold') return { do: 'hold', delivery: hold(known, admission.backlog, now) };
  const { nextAttemptAt = now } = delivery;
  if (plusSeconds(now, punctualSeconds) < nextAttemptAt) return postpone(delivery, message, nextAttemptAt);
  // Only what is due: a delivery that leaves a backlog is sent at once.
  if (admission.to === 'defer') return { do: 'defer', delivery: defer(known, admission.backlog) };
  const { endpoint } = admission;
  const claim = { id: claimId, number: known.attempts.length + 1, at: now, leaseUntil: plusSeconds(now, leaseSeconds) };
  return { do: 'call', delivery: change(known, { claim, endpoint }), claim, endpoint };
}

/** How a call ended. */
export type CallResult = Pick<Attempt, 'httpStatus' | 'error' | 'durationMs' | 'returnCode'> & {
  readonly outcome: 'DELIVERED' | 'FAILED';
};

/** What follows a call, the state to be written first. `re-enqueue` as in `Decision`. */
export type RecordedOutcome =
  | { readonly do: 'ack' | 'dead-letter'; readonly delivery: Delivery }
  | { readonly do: 'retry' | 're-enqueue'; readonly delivery: Delivery; readonly notBefore: Instant };

/** Records the end of the call that was made under this claim; undefined when the claim is no longer open. */
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
  const attempt: Attempt = { number: claim.number, claimId: claim.id, at: claim.at, ...call.result };
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

/** Whether the end of the call under this claim is already recorded: the answer to the first write was lost. */
export function isRecorded(delivery: Delivery, claimId: string): boolean {
  return delivery.attempts.some((attempt) => attempt.claimId === claimId && attempt.outcome !== 'UNKNOWN');
}

/**
 * Releases a delivery from the backlog that it waits in, by a new dispatch. Undefined when it waits there no more.
 *
 * @param notBefore when it may be called: now, or when a probe is due
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

/** A delivery that waits for an endpoint that was disabled, or that the operator holds, becomes `HELD`. */
export function holdWaiting(delivery: Delivery, backlog: BacklogName, now: Instant): Delivery | undefined {
  return delivery.status === 'PENDING' && delivery.backlog !== undefined ? hold(delivery, backlog, now) : undefined;
}

/** Parks a delivery that was held too long: it stays `HELD`, but no release looks at it again. */
export function park(delivery: Delivery): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  const { heldAt: _held, backlog: _line, ...rest } = delivery;
  return change(rest, {});
}

/**
 * A delivery that is held goes out by itself, whatever backlog it waited in. Undefined when it is not held any more.
 */
export function sendHeld(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  const { heldAt: _held, backlog: _line, ...rest } = delivery;
  return sendAgain({ ...rest, status: 'PENDING', nextAttemptAt: now }, now);
}

/** Whether nothing happened for so long that the message must have got lost, or died among the dead letters. */
export function isOverdue({ status, dueAt, claim }: Delivery, now: Instant, graceSeconds: number): boolean {
  if (status !== 'PENDING' || dueAt === undefined || plusSeconds(dueAt, graceSeconds) > now) return false;
  return claim === undefined || claim.leaseUntil <= now;
}

/** A new dispatch of an overdue delivery. Each time the sweep waits twice as long before the next one. */
export function reenqueueOverdue(delivery: Delivery, now: Instant, graceSeconds: number): Delivery | undefined {
  if (!isOverdue(delivery, now, graceSeconds)) return undefined;
  const backoff = (2 ** Math.min(delivery.dispatch, maxDoublings) - 1) * graceSeconds;
  return sendAgain(delivery, plusSeconds(laterOf(delivery.nextAttemptAt, now), backoff));
}

/**
 * A new dispatch after a restart, when all workers are dead and the queue's content is unknown: an open claim ends now.
 */
export function redrive(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'PENDING' || delivery.backlog !== undefined) return undefined;
  const { claim } = delivery;
  const dead = claim && claim.leaseUntil > now ? { ...delivery, claim: { ...claim, leaseUntil: now } } : delivery;
  return sendAgain(dead, laterOf(delivery.nextAttemptAt, now));
}

/** Failures that count: those that the partner caused, and attempts without a known end beyond those forgiven. */
export function countedFailures({ attempts }: Pick<Delivery, 'attempts'>): number {
  const failed = attempts.filter(({ outcome }) => outcome === 'FAILED').length;
  const unknown = attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length;
  return failed + Math.max(0, unknown - maxForgiven);
}

/** Whether someone may be calling right now. */
function isLeased({ claim }: Delivery, now: Instant): boolean {
  return claim !== undefined && now < claim.leaseUntil;
}

function postpone(delivery: Delivery, message: QueueMessage, until: Instant): Decision {
  if (message.receives < receivesPerDispatch) return { do: 'wait', until };
  return { do: 're-enqueue', delivery: sendAgain(delivery, until), notBefore: until };
}

/** The attempts, and the open claim as one of unknown outcome. */
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

/** Nothing is to be called at any time, and no backlog waits for it. */
function withoutMessage(delivery: Delivery): Delivery {
  const {
    claim: _claim,
    nextAttemptAt: _next,
    dueAt: _due,
    backlog: _line,
    releasedFrom: _released,
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

/** By how much of its length a wait may be longer, so that what failed together is not tried again together. */
export const jitter = 0.2;

/**
 * Whole seconds to wait after a counted failure: the delay for that failure, longer by at most a fifth.
 *
 * @param delays waits after the first, second, … failure; the last one holds for all that follow
 * @param failures counted so far, from 1
 * @param fraction random, from 0 to below 1
 */
export function retryDelaySeconds(delays: readonly number[], failures: number, fraction: number): number {
  const delay = delays[Math.min(failures, delays.length) - 1] ?? 0;
  return delay + Math.floor(delay * jitter * fraction);
}
