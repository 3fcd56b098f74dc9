import type { Draws } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';

const hour = 3_600_000;
/** The lengths of the times without requests. */
const lengthsMs = [2 * hour, 9 * hour, 30 * hour, 9 * 24 * hour] as const;
/** The last of them is rare. */
const usual = lengthsMs.slice(0, -1);

/**
 * The whole crowd rests at times, and the storm goes on: no request wakes what was forgotten, and what is due in hours
 * and days comes.
 */
export function nightsOf(time: VirtualTime, draws: Draws) {
  let untilMs = 0;
  let atDawn: () => void;
  const fall = (): void => {
    untilMs = time.now() + draws.one(draws.chance(0.1) ? lengthsMs : usual);
    time.at(untilMs, atDawn);
    time.at(untilMs + draws.between(hour / 10, hour), fall);
  };
  return {
    begin: (dawn: () => void): void => {
      atDawn = dawn;
      time.at(time.now() + draws.between(hour / 10, hour), fall);
    },
    /** Milliseconds of the world's time; not in the future by day. */
    restsUntil: (): number => untilMs,
    isNight: (): boolean => time.now() < untilMs,
  };
}
