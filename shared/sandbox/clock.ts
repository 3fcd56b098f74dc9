import type { Clock, Instant } from '../core/brasilia-time.ts';
import { millisecondsBetween, plusMilliseconds, plusSeconds } from '../core/brasilia-time.ts';
import type { ResourceType } from '../platform/outbox/delivery.ts';
import { forbiddenByState } from '../core/errors.ts';

/** The last moment that a simulated clock shows: there is room for every date that follows from it. */
export const lastClockTime: Instant = '2099-12-31T23:59:59.999Z';

/** What becomes due by a company's clock, each with the type of what it is about. */
export const clockJobResources = {
  PAY_IN_EXPIRY: 'PAY_IN',
  PAYOUT_SUBMISSION: 'PAYOUT',
  PAYMENT_RELEASE: 'SCHEDULED_PAYMENT',
  CHARGE_COMMAND: 'SCHEDULED_PAYMENT',
  SETTLEMENT_RESEND: 'SCHEDULED_PAYMENT',
  PAYMENT_SWEEP: 'SUBSCRIPTION',
  REFUND_SUBMISSION: 'PAY_IN',
  RECURRENCE_CANCELLATION: 'SUBSCRIPTION',
} as const satisfies Readonly<Record<string, ResourceType>>;
type ClockJobKind = keyof typeof clockJobResources;
/** An assertion: `keys` gives any text, the record has these kinds and no other. */
export const clockJobKinds = Object.keys(clockJobResources) as readonly ClockJobKind[];
export const clockJobResourceTypes = [...new Set(Object.values(clockJobResources))];

/** Jobs that one call runs at most, and its answer lists. */
export const jobsAtMost = 100;

/** A job that the advance of a clock did, with the notifications that this very job caused. */
export type ClockJob = {
  readonly kind: ClockJobKind;
  readonly resource: { readonly type: (typeof clockJobResourceTypes)[number]; readonly id: string };
  readonly deliveryIds: readonly string[];
};

/** What a call that advanced a clock did besides. `remaining`: what was due then and not begun. */
export type DueJobsResult = { readonly jobs: readonly ClockJob[]; readonly remaining: number };

/** Where a clock stands, and how far that is ahead of real time, milliseconds. */
export type ClockReading = { readonly now: Instant; readonly offsetMs: number };

/** What is asked of a clock: a time to stand at, or whole seconds to go forward by. */
export type ClockAdvance = { readonly now: Instant } | { readonly advanceSeconds: number };

/** The time of a company's clock, which runs as the machine's does, so many milliseconds ahead of it. */
export function companyTime(realAt: Instant, offsetMs: number): Instant {
  return plusMilliseconds(realAt, offsetMs);
}

/** The company's clock on top of the machine's. */
export function clockAhead(realNow: Clock, offsetMs: number): Clock {
  return () => companyTime(realNow(), offsetMs);
}

/**
 * Where a clock stands after it was advanced.
 * @throws Refusal 409 `OUT_OF_RANGE` for a time that has passed, or that is later than a simulated clock can show.
 */
export function advanceClock(
  present: { readonly realAt: Instant; readonly offsetMs: number },
  advance: ClockAdvance,
): ClockReading {
  const shown = companyTime(present.realAt, present.offsetMs);
  const isTime = 'now' in advance;
  const now = isTime ? advance.now : plusSeconds(shown, advance.advanceSeconds);
  const field = isTime ? 'now' : 'advanceSeconds';
  if (now < shown)
    throw forbiddenByState(field, 'OUT_OF_RANGE', `The clock goes forward only; it stands at ${shown} already.`);
  if (now > lastClockTime)
    throw forbiddenByState(
      field,
      'OUT_OF_RANGE',
      `The clock can be set up to ${lastClockTime}; it stands at ${shown}.`,
    );
  return { now, offsetMs: millisecondsBetween(present.realAt, now) };
}
