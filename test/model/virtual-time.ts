/** A machine's life on a clock of its own: what waits is woken in the order of time, so a day passes in a second. */
export type VirtualTime = {
  /** Milliseconds since the beginning. */
  readonly now: () => number;
  /** Gives what takes it back. */
  readonly at: (ms: number, work: () => void) => () => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets time pass until nothing waits, `done` says so, or the end is reached. */
  readonly run: (untilMs: number, done?: () => boolean) => Promise<void>;
};

type Waiting = { readonly ms: number; readonly place: number; readonly work: () => void };

export function virtualTime(): VirtualTime {
  let now = 0;
  let places = 0;
  const waiting: Waiting[] = [];
  const at = (ms: number, work: () => void): (() => void) => {
    const entry = { ms: Math.max(ms, now), place: (places += 1), work };
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(waiting[middle], entry)) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, entry);
    return () => {
      const place = waiting.indexOf(entry);
      if (place >= 0) waiting.splice(place, 1);
    };
  };
  return {
    now: () => now,
    at,
    sleep: (ms) =>
      new Promise((resolve) => {
        at(now + ms, resolve);
      }),
    run: async (untilMs, done = () => false) => {
      for (let next = waiting[0]; next !== undefined && next.ms <= untilMs && !done(); next = waiting[0]) {
        waiting.shift();
        now = next.ms;
        next.work();
        // Whatever this woke goes on until it waits again.
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!done()) now = Math.max(now, untilMs);
    },
  };
}

function isBefore(a: Waiting | undefined, b: Waiting): boolean {
  return a !== undefined && (a.ms < b.ms || (a.ms === b.ms && a.place < b.place));
}

/** The same chances for the same seed (mulberry32): from 0 to below 1. */
export function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What waits by the machine's timers and draws by the machine's chance does so by the model's. */
export async function inVirtualTime<T>(time: VirtualTime, random: () => number, work: () => Promise<T>): Promise<T> {
  const real = { setTimeout, clearTimeout, random: Math.random, elapsed: performance.now.bind(performance) };
  const timers = new Map<number, () => void>();
  let count = 0;
  const wait = (run: () => void, ms = 0): number => {
    const id = (count += 1);
    timers.set(id, time.at(time.now() + ms, run));
    return id;
  };
  const stop = (id: number): void => {
    timers.get(id)?.();
    timers.delete(id);
  };
  Object.assign(globalThis, { setTimeout: wait, clearTimeout: stop });
  Math.random = random;
  performance.now = () => time.now();
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    Math.random = real.random;
    performance.now = real.elapsed;
  }
}
