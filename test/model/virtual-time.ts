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

type Waiting = { readonly ms: number; readonly place: number; work: (() => void) | undefined };

/** @param startMs what `now` says at the beginning @param settled waits for what does not wait by this time */
export function virtualTime(startMs = 0, settled: () => Promise<void> = nextTurn): VirtualTime {
  let now = startMs;
  let sequence = 0;
  /** A binary heap: the earliest first, of one moment the oldest. */
  const heap: Waiting[] = [];
  const at = (ms: number, work: () => void): (() => void) => {
    const entry: Waiting = { ms: Math.max(ms, now), place: (sequence += 1), work };
    push(heap, entry);
    return () => {
      entry.work = undefined;
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
      for (let next = heap[0]; next !== undefined && next.ms <= untilMs && !done(); next = heap[0]) {
        pop(heap);
        if (next.work === undefined) continue;
        now = next.ms;
        next.work();
        // Whatever this woke goes on until it waits again.
        await settled();
      }
      if (!done()) now = Math.max(now, untilMs);
    },
  };
}

/** Everything that waits for nothing outside the process has happened. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.ms < b.ms || (a.ms === b.ms && a.place < b.place);
}

function push(heap: Waiting[], entry: Waiting): void {
  let place = heap.push(entry) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(entry, above)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = entry;
}

function pop(heap: Waiting[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, last)) break;
    heap[place] = child;
    place = 2 * place + (isRight ? 2 : 1);
  }
  heap[place] = last;
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

/** Calls `arrive` with the number of each arrival: `rate` a second for so many seconds, at random times. */
export function arrivals(
  { time, random }: { readonly time: VirtualTime; readonly random: () => number },
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  arrive: (number: number) => void,
): void {
  const next = (number: number): void => {
    time.at(time.now() - (Math.log(1 - random()) / rate) * 1000, () => {
      if (time.now() >= seconds * 1000) return;
      arrive(number);
      next(number + 1);
    });
  };
  next(0);
}

/** What waits by the machine's timers and draws by the machine's chance does so by the model's. */
export async function inVirtualTime<T>(
  time: VirtualTime,
  random: () => number,
  work: () => Promise<T>,
  epochMs = Date.now(),
): Promise<T> {
  const real = {
    ...{ setTimeout, clearTimeout, random: Math.random, dateNow: Date.now },
    elapsed: performance.now.bind(performance),
  };
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
  Date.now = () => epochMs + time.now();
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
    Math.random = real.random;
    performance.now = real.elapsed;
    Date.now = real.dateNow;
  }
}
