/** How much longer than its length a wait may last, so that what failed together is not tried again together. */
const jitter = 0.2;

/**
 * Whole seconds to wait after a charged failure: the delay of that place, lengthened by at most a fifth.
 *
 * @param delays waits after the first, second, … failure; the last one goes on holding
 * @param failures charged so far, from 1
 * @param fraction the chance, from 0 to below 1
 */
export function retryDelaySeconds(delays: readonly number[], failures: number, fraction: number): number {
  const delay = delays[Math.min(failures, delays.length) - 1] ?? 0;
  return delay + Math.floor(delay * jitter * fraction);
}
