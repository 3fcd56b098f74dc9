import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseHttpDate, secondsBetween } from '#shared/core/brasilia-time.ts';

const longestWaitSeconds = 86_400;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): whole seconds, or a date. At most a day; undefined for what is neither.
 * @param at when the bank answered, by its own clock
 */
export function secondsToWait(header: string | undefined, at: Instant): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/u.test(text)) return Math.min(Number(text), longestWaitSeconds);
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  return Math.min(Math.max(0, Math.ceil(secondsBetween(at, until))), longestWaitSeconds);
}
