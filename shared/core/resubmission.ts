import type { Instant } from './brasilia-time.ts';
import { plusSeconds } from './brasilia-time.ts';

/** How long a command to the bank is left alone, in seconds: until then whoever gave it is waiting for its end. */
const askAgainAfterSeconds = 120;

/** When a worker asks the bank about a command that was given, or asked about, at this time. */
export function askAgainAt(at: Instant): Instant {
  return plusSeconds(at, askAgainAfterSeconds);
}
