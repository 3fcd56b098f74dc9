import type { Clock } from '../domain/brasilia-time.ts';
import { instantFromEpochMs } from '../domain/brasilia-time.ts';

/** The machine's clock, in epoch milliseconds: durations, tokens and signatures follow it. */
export function nowMs(): number {
  return Date.now();
}

/** The machine's clock as an instant. */
export const systemClock: Clock = () => instantFromEpochMs(nowMs());
