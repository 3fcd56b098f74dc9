import { setTimeout as sleep } from 'node:timers/promises';

/** A loop that runs beside everything else until it is told to stop. */
export type Loop = {
  /** Resolves when the work in hand has come to its end. */
  readonly stop: () => Promise<void>;
};

/** Waits; resolves early when `signal` aborts. */
export async function pauseUntil(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Something that a loop waits for and others announce. */
export type Bell = {
  readonly ring: () => void;
  /**
   * Waits for the next ring, until the time is up or the signal aborts. A ring since the last wait counts: none is
   * missed.
   */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

export function createBell(): Bell {
  let rung = false;
  let waiting: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      waiting?.();
    },
    wait: async (milliseconds, signal) => {
      if (!rung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            waiting = undefined;
            resolve();
          };
          const timer = setTimeout(done, milliseconds);
          signal.addEventListener('abort', done);
          waiting = done;
        });
      }
      rung = false;
    },
  };
}
