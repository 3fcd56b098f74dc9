import { policies } from './retry.ts';
import type { Key } from './store.ts';

/*
 * Items on which transactions of this process had to wait for others, such as the balance of an account that pays
 * often. DynamoDB cancels all but one of the transactions that meet on an item. Where more come than pass, every wait
 * keeps one more function busy, so a request must not wait long for an item that is known to be contended.
 */

/** Most milliseconds that a write waits for an item that is known to be contended. */
export const knownWaitsMs = 1000;
/** A write that takes so long makes its item known: of a few at the same time each takes less. */
const longWaitMs = 250;
/** The time that an item stays known after that. */
const knownForMs = 10_000;

export type Contention = {
  /** Returns how long a write that begins now waits for these items, milliseconds. */
  readonly patienceFor: (items: readonly Key[]) => number;
  /** Notes that a write takes so long because of these items. */
  readonly note: (items: readonly Key[], lastedMs: number) => void;
};

/** @param elapsedMs the time of a clock that never goes back */
export function newContention(elapsedMs: () => number): Contention {
  const knownUntil = new Map<string, number>();
  return {
    patienceFor: (items) => {
      const isKnown = items.some((item) => (knownUntil.get(nameOf(item)) ?? 0) > elapsedMs());
      return isKnown ? knownWaitsMs : policies.conflict.lastsMs;
    },
    note: (items, lastedMs) => {
      if (lastedMs < longWaitMs) return;
      for (const [name, until] of knownUntil) if (until <= elapsedMs()) knownUntil.delete(name);
      for (const item of items) knownUntil.set(nameOf(item), elapsedMs() + knownForMs);
    },
  };
}

function nameOf({ PK, SK }: Key): string {
  return `${PK} ${SK}`;
}
