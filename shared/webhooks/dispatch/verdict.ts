import type { Instant } from '#shared/core/brasilia-time.ts';
import { secondsBetween } from '#shared/core/brasilia-time.ts';

/** What becomes of a message: it is deleted, or the queue shows it again after so many seconds. */
export type Verdict = { readonly do: 'acknowledge' } | { readonly do: 'return'; readonly inSeconds: number };

export const acknowledge: Verdict = { do: 'acknowledge' };

/** Received again until the queue has counted enough, or to decide again. Not 0: some queues do not take it. */
export const soon: Verdict = { do: 'return', inSeconds: 1 };

/** SQS hides a message for at most 12 hours from its receipt. */
const maxSeconds = 43_000;

/** Received again at that moment, in whole seconds from now. */
export function returnAt(instant: Instant, now: Instant): Verdict {
  const inSeconds = Math.min(maxSeconds, Math.max(1, Math.ceil(secondsBetween(now, instant))));
  return { do: 'return', inSeconds };
}
