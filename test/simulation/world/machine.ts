import { AsyncLocalStorage } from 'node:async_hooks';
import { beginsAt } from '#test/model/bank-books.ts';
import type { VirtualTime } from '#test/model/virtual-time.ts';
import { drawFrom } from './chance.ts';
import { nextTurn } from '#test/model/virtual-time.ts';

/*
 * What a process has of its machine: clocks, timers, chance. Here it all comes from the world's time and seed, so that
 * one seed is one history.
 */

const real = {
  setTimeout,
  nextTurn,
  write: process.stdout.write.bind(process.stdout),
  elapsed: performance.now.bind(performance),
};

/** Calls of the platform that end on a thread of their own: the world's time waits for them. */
let onThreads = 0;

/** All that the last event woke has gone on until it waits again. */
export async function settled(): Promise<void> {
  do await real.nextTurn();
  while (onThreads > 0);
}

/** Milliseconds of the machine itself, for how long a run takes. */
export const realElapsedMs = (): number => real.elapsed();
/** The process's own standard output. */
export const print = (text: string): Promise<void> =>
  new Promise((written) =>
    real.write(`${text}\n`, () => {
      written();
    }),
  );

/** Puts the world's clock, timers, chance and log in the machine's places, for the rest of the process. */
export function install(time: VirtualTime, random: () => number, onLine: (line: string) => void): void {
  const epochMs = (): number => beginsAt + Math.floor(time.now());
  const RealDate = Date;
  class WorldDate extends RealDate {
    constructor(...given: ConstructorParameters<typeof Date> | []) {
      if (given.length === 0) super(epochMs());
      else super(...given);
    }
    static override now(): number {
      return epochMs();
    }
  }
  const timers = new Map<number, () => void>();
  let count = 0;
  const wait = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): number => {
    const id = (count += 1);
    const bound = AsyncLocalStorage.bind(run);
    timers.set(
      id,
      time.at(time.now() + ms, () => {
        timers.delete(id);
        bound(...given);
      }),
    );
    return id;
  };
  const stop = (id: number): void => {
    timers.get(id)?.();
    timers.delete(id);
  };
  Object.assign(globalThis, { Date: WorldDate, setTimeout: wait, clearTimeout: stop });
  drawFrom(random);
  performance.now = () => time.now();
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    time.at(time.now() + ms, () => {
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    });
    return controller.signal;
  };
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    onLine(chunk.toString());
    return true;
  };
  crypto.randomUUID = () => uuidFrom(random);
  for (const name of ['importKey', 'verify'] as const) countThreads(name);
}

/** A random UUID of version 4 (RFC 9562) by the world's chance. */
export function uuidFrom(random: () => number): `${string}-${string}-${string}-${string}-${string}` {
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
}

function countThreads(name: 'importKey' | 'verify'): void {
  const subtle = crypto.subtle as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const call = subtle[name]!.bind(crypto.subtle);
  Object.defineProperty(crypto.subtle, name, {
    value: async (...given: unknown[]) => {
      onThreads += 1;
      try {
        return await call(...given);
      } finally {
        onThreads -= 1;
      }
    },
  });
}
