import type { Confirmation } from '#shared/pix-keys/states.ts';

const wrong = 'WRONG#';

/** How an idempotency key remembers what became of a code. */
export function endName(made: Confirmation): string {
  return made.outcome === 'WRONG' ? `${wrong}${made.triesLeft}` : made.outcome;
}

/** The tries that a wrong code left, from what the key remembers; undefined for the right one. */
export function triesLeftIn(end: string): number | undefined {
  return end.startsWith(wrong) ? Number(end.slice(wrong.length)) : undefined;
}
