import { setTimeout as sleep } from 'node:timers/promises';

/** A loop that runs beside everything else until it is stopped. */
export type Loop = {
  /** Stops the loop. Resolves when its current work has ended. */
  readonly stop: () => Promise<void>;
};

/** Runs `work` until it ends; `signal` aborts when the loop is stopped. */
export function startLoop(work: (signal: AbortSignal) => Promise<void>): Loop {
  const stopping = new AbortController();
  const running = work(stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Waits; resolves early when `signal` aborts. */
export async function pauseUntil(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Wakes a loop that waits for work. */
export type WakeSignal = ReturnType<typeof createWakeSignal>;

export function createWakeSignal() {
  let awake = false;
  let waiting: AbortController | undefined;
  return {
    wake: (): void => {
      awake = true;
      waiting?.abort();
    },
    /** Waits for the next wake-up, the end of the time or the signal. A wake-up since the last wait counts. */
    wait: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      if (!awake) {
        waiting = new AbortController();
        await pauseUntil(milliseconds, AbortSignal.any([signal, waiting.signal]));
      }
      awake = false;
    },
  };
}
