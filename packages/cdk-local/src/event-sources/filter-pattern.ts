import { LocalStartError } from '../template/local-template.ts';

/** Whether a value fits a pattern, or a part of one. */
export type Predicate = (value: unknown) => boolean;

/**
 * Compiles a filter pattern of an event source ("Lambda event filtering"). Each name has either a list of strings and
 * prefixes, one of which must match, or a nested pattern. All names must match.
 *
 * @throws LocalStartError for every other operator: a pattern is never applied in part.
 */
export function compilePattern(pattern: unknown): Predicate {
  if (!isObject(pattern)) throw unknown(pattern);
  const parts = Object.entries(pattern).map(([name, part]): Predicate => {
    const fits = Array.isArray(part) ? oneOf(part) : compilePattern(part);
    return (value) => fits(isObject(value) ? value[name] : undefined);
  });
  return (value) => parts.every((part) => part(value));
}

/** Compiles the filters of a mapping. Without filters every record passes; with several one must match. */
export function compileFilters(patterns: readonly string[]): Predicate {
  const predicates = patterns.map((pattern) => compilePattern(JSON.parse(pattern)));
  return (value) => predicates.length === 0 || predicates.some((predicate) => predicate(value));
}

function oneOf(choices: readonly unknown[]): Predicate {
  const predicates = choices.map(compileChoice);
  return (value) => predicates.some((predicate) => predicate(value));
}

function compileChoice(choice: unknown): Predicate {
  if (typeof choice === 'string') return (value) => value === choice;
  const { prefix, ...others } = isObject(choice) ? choice : {};
  if (typeof prefix !== 'string' || Object.keys(others).length > 0) throw unknown(choice);
  return (value) => typeof value === 'string' && value.startsWith(prefix);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknown(part: unknown): LocalStartError {
  return new LocalStartError(
    `The local environment does not support this part of an event filter: ${JSON.stringify(part)}.`,
  );
}
