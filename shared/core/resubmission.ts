import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';

/** Seconds before a worker looks an unanswered command up at the bank: its submitter may still wait. */
const askAgainAfterSeconds = 120;

/** When a worker looks a command up that was submitted or looked up at this time. */
export function askAgainAt(at: Instant): Instant {
  return plusSeconds(at, askAgainAfterSeconds);
}
