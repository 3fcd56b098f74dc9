import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';

/** Seconds before a worker looks up a command without a response: until then its submitter may still wait. */
const askAgainAfterSeconds = 120;

/** Milliseconds from the begin of a job in which a worker may submit a command. */
const submittedWithinMs = 20_000;

/** Returns when a worker looks up a command that was submitted or looked up at this time. */
export function askAgainAt(at: Instant): Instant {
  return plusSeconds(at, askAgainAfterSeconds);
}

/**
 * Returns a function of the milliseconds left in which a worker may submit a command: at most 20 seconds from this
 * call. So the bank has a submission, and its reads show it, before the next lookup, even with 20 seconds in transit
 * and reads that lag by 80 seconds.
 */
export function timeToSubmit(remainingMs: () => number): () => number {
  const endsAboveMs = remainingMs() - submittedWithinMs;
  return () => Math.min(remainingMs(), remainingMs() - endsAboveMs);
}

/** When the worker submitted a command. `latest`: the newest times, in their order. `count`: of all. */
type DueSubmissions = { readonly count: number; readonly latest: readonly Instant[] };

/** What is kept of the submissions of a payment by the worker. */
export type Submitted = {
  /** Absent: only the request that created it has submitted it, or nothing yet. */
  readonly dueSubmissions?: DueSubmissions;
  /** The time of the worker's submission by which it knows that the bank has the payment. */
  readonly acceptedAt?: Instant;
};

/** The number of kept times, so that an item stays small at a bank that answers nothing for days. */
const keptSubmissions = 4;

/** Returns the worker's submissions of a payment with one more. */
export function withSubmission({ dueSubmissions }: Submitted, at: Instant): DueSubmissions {
  const { count, latest } = dueSubmissions ?? { count: 0, latest: [] };
  return { count: count + 1, latest: [...latest, at].slice(-keptSubmissions) };
}
