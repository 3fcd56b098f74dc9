import type { Clock } from '../core/brasilia-time.ts';
import { instantFromEpochMs } from '../core/brasilia-time.ts';

/** The machine's clock, epoch milliseconds: durations, tokens and signatures follow it. */
export function nowMs(): number {
  return Date.now();
}

/** The machine's clock as an instant. */
export const systemClock: Clock = () => instantFromEpochMs(nowMs());
