import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './figures.ts';

export type Load = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
};

/**
 * As many callers as `connections`, each of which asks again as soon as it has its answer, until `durationMs` is over
 * or `atMost` questions were asked. What is asked is told its place in the order of asking.
 */
export async function loadWith(
  ask: (place: number) => Promise<unknown>,
  { connections, durationMs, atMost = Infinity }: { connections: number; durationMs: number; atMost?: number },
): Promise<Load> {
  const waits: number[] = [];
  const started = performance.now();
  let asked = 0;
  const callOn = async (): Promise<void> => {
    while (asked < atMost && performance.now() - started < durationMs) {
      const place = asked++;
      const at = performance.now();
      await ask(place);
      waits.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: connections }, callOn));
  const seconds = (performance.now() - started) / 1000;
  return {
    perSecond: waits.length / seconds,
    p50Ms: percentile(waits, 0.5),
    p99Ms: percentile(waits, 0.99),
    count: waits.length,
  };
}

/**
 * Waits until something holds, looking every few milliseconds.
 * @throws Error when it does not within the time.
 */
export async function until(what: string, holds: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} seconds.`);
    await sleep(5);
  }
}
