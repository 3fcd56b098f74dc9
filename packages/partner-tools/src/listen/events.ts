import { UsageError } from '../failures.ts';

/**
 * Reads `--events` and returns a test that is true for the events to skip: those that `--events` does not name. A name
 * may be in any case, with or without `ORDER-`. `*` at its end stands for any rest.
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
