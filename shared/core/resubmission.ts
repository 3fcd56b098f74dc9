import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';

/** Seconds before a worker looks an unanswered command up at the bank: its submitter may still wait. */
const askAgainAfterSeconds = 120;

/** Milliseconds from its begin in which a worker submits a command. */
const submittedWithinMs = 20_000;

/** Returns when a worker looks up a command that was submitted or looked up at this time. */
export function askAgainAt(at: Instant): Instant {
  return plusSeconds(at, askAgainAfterSeconds);
}

/**
 * Returns a function of the milliseconds left in which a worker submits a command, counted from this call. A submission
 * then reaches the bank, and its reads show it, before the next look: even one that is 20 seconds on its way, with
 * reads that lag by 80.
 */
export function timeToSubmit(remainingMs: () => number): () => number {
  const endsAboveMs = remainingMs() - submittedWithinMs;
  return () => Math.min(remainingMs(), remainingMs() - endsAboveMs);
}
