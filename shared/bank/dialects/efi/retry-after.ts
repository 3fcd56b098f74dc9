import type { Instant } from '#shared/core/brasilia-time.ts';
import { parseHttpDate, secondsBetween } from '#shared/core/brasilia-time.ts';

const longestWaitSeconds = 86_400;

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), whole seconds or a date, as seconds: at most a day. Undefined for other text.
 * @param at time of the bank's response, by its own clock
 */
export function secondsToWait(header: string | undefined, at: Instant): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/u.test(text)) return Math.min(Number(text), longestWaitSeconds);
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  return Math.min(Math.max(0, Math.ceil(secondsBetween(at, until))), longestWaitSeconds);
}
