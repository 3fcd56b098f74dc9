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
