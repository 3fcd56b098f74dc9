import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `look` until its result is done, but no longer than `withinMs`. @returns The last result. */
export async function poll<T>(
  look: () => T | Promise<T>,
  isDone: (seen: T) => boolean,
  withinMs: number,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isDone(seen) || Date.now() > deadline) return seen;
    await sleep(everyMs);
  }
}
