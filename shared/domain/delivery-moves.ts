import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';
import type { Attempt, Claim, Delivery } from './delivery.ts';
import { retryDelaySeconds } from './retry-schedule.ts';

/*
 * Every change of a delivery's state. The table counts the attempts, the queue carries them: a message only says that
 * something may have to be done, the delivery says what. Each function gives the state to write (one version higher) or
 * says that there is nothing to write; the write demands the version that was read, so that of two decisions one counts.
 */

/** Attempts whose failure is the partner's: the specification's first one and four more (6.1). */
export const maxCharges = 5;
/** Attempts without a known end that are forgiven: their worker died, which is our fault. */
export const maxForgiven = 2;
/** How often the queue hands out a message before it becomes a dead letter (`maxReceiveCount`). */
export const receivesPerSending = 5;
/** Longer than a function may run: when it is over, the holder of a claim is dead. */
export const leaseSeconds = 20;

/** Clocks of two machines differ by less; being early by this much is being punctual. */
const punctualSeconds = 1;
/** The patience of the sweep doubles up to this many times: a queue that is merely slow must not be filled further. */
const maxDoublings = 5;

/** A message of the queue: which sending it carries, and how often it was received. */
export type Carrier = { readonly id: string; readonly sending: number; readonly receives: number };

export type Reason = 'stale-sending' | 'stale-copy' | 'delivered' | 'held';

/** What a received message leads to. Where there is a `delivery`, it is written first. */
export type Reception =
  /** Nothing is left to do for this message. */
  | { readonly do: 'acknowledge'; readonly because: Reason }
  /** The delivery has failed for good and this is its message: it goes to the dead letters without another call. */
  | { readonly do: 'dead-letter' }
  | { readonly do: 'wait'; readonly until: Instant }
  /** To be waited for as well, but this message may not be received again: another sending takes over. */
  | { readonly do: 'renew'; readonly delivery: Delivery; readonly notBefore: Instant }
  | { readonly do: 'hold'; readonly delivery: Delivery }
  /** Failed for good without a call, since an attempt without a known end was the last one; or its message found. */
  | { readonly do: 'give-up'; readonly delivery: Delivery }
  | { readonly do: 'call'; readonly delivery: Delivery; readonly claim: Claim; readonly endpoint: string };

/** Decides about a received message. `endpoint` is the address for the delivery's target, if there is one now. */
export function receive(
  delivery: Delivery,
  message: Carrier,
  {
    now,
    claimId,
    endpoint,
  }: { readonly now: Instant; readonly claimId: string; readonly endpoint: string | undefined },
): Reception {
  if (message.sending !== delivery.sending) return { do: 'acknowledge', because: 'stale-sending' };
  if (delivery.status === 'DELIVERED') return { do: 'acknowledge', because: 'delivered' };
  if (delivery.status === 'HELD') return { do: 'acknowledge', because: 'held' };
  if (delivery.carrier !== undefined && delivery.carrier !== message.id)
    return { do: 'acknowledge', because: 'stale-copy' };
  if (delivery.status === 'FAILED')
    return delivery.carrier === undefined
      ? { do: 'give-up', delivery: changed(delivery, { carrier: message.id }) }
      : { do: 'dead-letter' };
  if (isLeased(delivery, now) && delivery.claim !== undefined)
    return postponed(delivery, message, delivery.claim.leaseUntil);
  const known = { ...withoutClaim(delivery), attempts: withUnknown(delivery), carrier: message.id };
  if (chargesOf(known) >= maxCharges) return { do: 'give-up', delivery: ended(known, 'FAILED') };
  if (endpoint === undefined) return { do: 'hold', delivery: { ...ended(known, 'HELD'), heldAt: now } };
  const { nextAttemptAt = now } = delivery;
  if (plusSeconds(now, punctualSeconds) < nextAttemptAt) return postponed(delivery, message, nextAttemptAt);
  const claim = { id: claimId, number: known.attempts.length + 1, at: now, leaseUntil: plusSeconds(now, leaseSeconds) };
  return { do: 'call', delivery: changed(known, { claim, endpoint }), claim, endpoint };
}

/** How a call ended. */
export type CallResult = Pick<Attempt, 'httpStatus' | 'error' | 'durationMs' | 'returnCode'> & {
  readonly outcome: 'DELIVERED' | 'FAILED';
};

/** What follows a call, the state to be written first. `renew` as in `Reception`. */
export type Settlement =
  | { readonly do: 'acknowledge' | 'dead-letter'; readonly delivery: Delivery }
  | { readonly do: 'retry' | 'renew'; readonly delivery: Delivery; readonly notBefore: Instant };

/** Records the end of the call that was made under this claim; undefined when the claim is no longer open. */
export function settle(
  delivery: Delivery,
  message: Carrier,
  call: {
    readonly claimId: string;
    readonly result: CallResult;
    readonly now: Instant;
    readonly delays: readonly number[];
    readonly fraction: number;
  },
): Settlement | undefined {
  const { claim } = delivery;
  if (claim?.id !== call.claimId) return undefined;
  const attempt: Attempt = { number: claim.number, claimId: claim.id, at: claim.at, ...call.result };
  const known = { ...withoutClaim(delivery), attempts: [...delivery.attempts, attempt] };
  if (call.result.outcome === 'DELIVERED') return { do: 'acknowledge', delivery: ended(known, 'DELIVERED') };
  const superseded = message.sending !== delivery.sending;
  const charges = chargesOf(known);
  if (charges >= maxCharges)
    return { do: superseded ? 'acknowledge' : 'dead-letter', delivery: ended(known, 'FAILED') };
  const notBefore = plusSeconds(call.now, retryDelaySeconds(call.delays, charges, call.fraction));
  const waiting = changed(known, { nextAttemptAt: notBefore, dueAt: notBefore });
  if (superseded) return { do: 'acknowledge', delivery: waiting };
  if (message.receives < receivesPerSending) return { do: 'retry', delivery: waiting, notBefore };
  return { do: 'renew', delivery: sentAnew({ ...waiting, version: delivery.version }, notBefore), notBefore };
}

/** Whether the end of the call under this claim is already recorded: the answer to the first write was lost. */
export function isRecorded(delivery: Delivery, claimId: string): boolean {
  return delivery.attempts.some((attempt) => attempt.claimId === claimId && attempt.outcome !== 'UNKNOWN');
}

/** What was held is due at once, by a new sending. Undefined when it is not held. */
export function release(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  const { heldAt: _, ...rest } = delivery;
  return sentAnew({ ...rest, status: 'PENDING', nextAttemptAt: now }, now);
}

/** Held for too long to be sent by itself: it stays `HELD`, but no release looks at it again. */
export function shelve(delivery: Delivery): Delivery | undefined {
  if (delivery.status !== 'HELD') return undefined;
  const { heldAt: _, ...rest } = delivery;
  return changed(rest, {});
}

/** Whether nothing happened for so long that the message must have got lost, or died among the dead letters. */
export function isOverdue({ status, dueAt, claim }: Delivery, now: Instant, graceSeconds: number): boolean {
  if (status !== 'PENDING' || dueAt === undefined || plusSeconds(dueAt, graceSeconds) > now) return false;
  return claim === undefined || claim.leaseUntil <= now;
}

/** A new sending of an overdue delivery. Each time the sweep will wait twice as long before it wonders again. */
export function sendOverdue(delivery: Delivery, now: Instant, graceSeconds: number): Delivery | undefined {
  if (!isOverdue(delivery, now, graceSeconds)) return undefined;
  const patience = (2 ** Math.min(delivery.sending, maxDoublings) - 1) * graceSeconds;
  return sentAnew(delivery, plusSeconds(laterOf(delivery.nextAttemptAt, now), patience));
}

/** A new sending after a restart, when all workers are dead and the queue's content is unknown: an open claim ends now. */
export function recover(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'PENDING') return undefined;
  const { claim } = delivery;
  const dead = claim && claim.leaseUntil > now ? { ...delivery, claim: { ...claim, leaseUntil: now } } : delivery;
  return sentAnew(dead, laterOf(delivery.nextAttemptAt, now));
}

/** Failures that count: those which the partner caused, and what was no longer forgiven. */
export function chargesOf({ attempts }: Pick<Delivery, 'attempts'>): number {
  const failed = attempts.filter(({ outcome }) => outcome === 'FAILED').length;
  const unknown = attempts.filter(({ outcome }) => outcome === 'UNKNOWN').length;
  return failed + Math.max(0, unknown - maxForgiven);
}

/** Whether someone may be calling right now. */
function isLeased({ claim }: Delivery, now: Instant): boolean {
  return claim !== undefined && now < claim.leaseUntil;
}

function postponed(delivery: Delivery, message: Carrier, until: Instant): Reception {
  if (message.receives < receivesPerSending) return { do: 'wait', until };
  return { do: 'renew', delivery: sentAnew(delivery, until), notBefore: until };
}

/** The attempts, with the open claim as one whose end nobody knows. */
function withUnknown({ attempts, claim }: Delivery): readonly Attempt[] {
  if (claim === undefined) return attempts;
  return [...attempts, { number: claim.number, claimId: claim.id, at: claim.at, outcome: 'UNKNOWN' }];
}

function withoutClaim({ claim: _, ...rest }: Delivery): Delivery {
  return rest;
}

function ended(delivery: Delivery, status: 'DELIVERED' | 'FAILED' | 'HELD'): Delivery {
  const { claim: _claim, nextAttemptAt: _next, dueAt: _due, ...rest } = delivery;
  return changed(rest, { status });
}

function sentAnew(delivery: Delivery, dueAt: Instant): Delivery {
  const { carrier: _, ...rest } = delivery;
  return changed(rest, { sending: delivery.sending + 1, dueAt });
}

function changed(delivery: Delivery, change: Partial<Delivery>): Delivery {
  return { ...delivery, ...change, version: delivery.version + 1 };
}

function laterOf(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b;
}
