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
