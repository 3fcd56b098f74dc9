import { UsageError } from '../command-line.ts';

/**
 * Tests which events `--events` leaves out: those that it does not name, in capitals or not, with `*` at the end for
 * all that begin so, and with or without `ORDER-`.
 * @throws UsageError for a name that no event can have.
 */
export function readEvents(text: string | undefined): (event: string) => boolean {
  if (text === undefined) return () => false;
  const named = text.split(',').map((event) => event.trim().toUpperCase());
  const wrong = named.find((event) => !/^[A-Z][A-Z_.-]*\*?$|^\*$/u.test(event));
  if (wrong !== undefined)
    throw new UsageError(`--events ${text} does not name events.`, 'Write --events ORDER-PAYIN.PAID,subscription.*');
  const fits = (pattern: string, event: string): boolean =>
    pattern.endsWith('*') ? event.startsWith(pattern.slice(0, -1)) : event === pattern;
  return (event) => !named.some((pattern) => fits(pattern, event) || fits(pattern, event.replace(/^ORDER-/u, '')));
}
