import type { Clock, Instant } from '../core/brasilia-time.ts';
import { millisecondsBetween, plusMilliseconds, plusSeconds } from '../core/brasilia-time.ts';
import type { ResourceType } from '../platform/outbox/delivery.ts';
import { forbiddenByState } from '../core/errors.ts';

/** The last time of a simulated clock, which leaves room for later dates. */
export const lastClockTime: Instant = '2099-12-31T23:59:59.999Z';

/** Kinds of jobs that follow a company's clock, each with its resource. */
export const clockJobResources = {
  KEY_COMMAND: 'ACCOUNT',
  PAY_IN_EXPIRY: 'PAY_IN',
  PAYOUT_SUBMISSION: 'PAYOUT',
  PAYMENT_RELEASE: 'SCHEDULED_PAYMENT',
  CHARGE_COMMAND: 'SCHEDULED_PAYMENT',
  SETTLEMENT_RESEND: 'SCHEDULED_PAYMENT',
  PAYMENT_SWEEP: 'SUBSCRIPTION',
  RECURRENCE_END: 'SUBSCRIPTION',
  REFUND_SUBMISSION: 'PAY_IN',
  RECURRENCE_CANCELLATION: 'SUBSCRIPTION',
  DISPUTE_REMINDER: 'DISPUTE',
} as const satisfies Readonly<Record<string, ResourceType | 'ACCOUNT'>>;
type ClockJobKind = keyof typeof clockJobResources;
export const clockJobKinds = Object.keys(clockJobResources) as readonly ClockJobKind[];
export const clockJobResourceTypes = [...new Set(Object.values(clockJobResources))];

/** Most jobs of one call. */
export const jobsAtMost = 100;

/** A job of a clock's advance, with the notifications that it caused. */
export type ClockJob = {
  readonly kind: ClockJobKind;
  readonly resource: { readonly type: (typeof clockJobResourceTypes)[number]; readonly id: string };
  readonly deliveryIds: readonly string[];
};

/** `remaining`: jobs that were due and did not begin. */
export type DueJobsResult = { readonly jobs: readonly ClockJob[]; readonly remaining: number };

/** The time of a clock, and the milliseconds that it is ahead of real time. */
export type ClockReading = { readonly now: Instant; readonly offsetMs: number };

/** The requested time, or whole seconds to advance. */
export type ClockAdvance = { readonly now: Instant } | { readonly advanceSeconds: number };

/** Returns the time of a clock that is this many milliseconds ahead of real time. */
export function companyTime(realAt: Instant, offsetMs: number): Instant {
  return plusMilliseconds(realAt, offsetMs);
}

export function clockAhead(realNow: Clock, offsetMs: number): Clock {
  return () => companyTime(realNow(), offsetMs);
}

/**
 * The clock after its advance. @throws RequestError 409 `OUT_OF_RANGE` for a past time, or one after `lastClockTime`
 */
export function advanceClock(
  current: { readonly realAt: Instant; readonly offsetMs: number },
  advance: ClockAdvance,
): ClockReading {
  const shown = companyTime(current.realAt, current.offsetMs);
  const isTime = 'now' in advance;
  const now = isTime ? advance.now : plusSeconds(shown, advance.advanceSeconds);
  const outOfRange = (why: string) => forbiddenByState(isTime ? 'now' : 'advanceSeconds', 'OUT_OF_RANGE', why);
  if (now < shown) throw outOfRange(`The clock goes forward only; it stands at ${shown} already.`);
  if (now > lastClockTime) throw outOfRange(`The clock can be set up to ${lastClockTime}; it stands at ${shown}.`);
  return { now, offsetMs: millisecondsBetween(current.realAt, now) };
}
