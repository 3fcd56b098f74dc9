import { LocalStartError } from '../template/local-template.ts';

/** Whether an event fits a pattern. */
export type Predicate = (event: unknown) => boolean;
type Leaf = (value: unknown, present: boolean) => boolean;

/**
 * Compiles a filter pattern of an event source ("Lambda event filtering", "Comparison operators for use in event
 * patterns in EventBridge"). Fields of one object must all fit, of a list of values one; in an event's list one element
 * is enough.
 *
 * @throws LocalStartError for an operator that it does not know: a pattern is never half applied.
 */
export function compilePattern(pattern: unknown): Predicate {
  if (!isObject(pattern)) throw unknown('pattern', pattern);
  const parts = Object.entries(pattern).map(([name, part]): Predicate => {
    if (name === '$or') return oneOf(part);
    if (Array.isArray(part)) {
      const leaf = anyLeaf(part);
      return (event) =>
        isObject(event) && Object.hasOwn(event, name) ? leaf(event[name], true) : leaf(undefined, false);
    }
    const nested = compilePattern(part);
    return (event) => matchesNested(isObject(event) ? event[name] : undefined, nested);
  });
  return (event) => parts.every((part) => part(event));
}

/** The filters of a mapping: without any, everything passes; with several, one is enough. */
export function compileFilters(patterns: readonly string[]): Predicate {
  const predicates = patterns.map((pattern) => compilePattern(JSON.parse(pattern)));
  return (event) => predicates.length === 0 || predicates.some((predicate) => predicate(event));
}

function oneOf(part: unknown): Predicate {
  if (!Array.isArray(part)) throw unknown('$or', part);
  const choices = part.map(compilePattern);
  return (event) => choices.some((choice) => choice(event));
}

function matchesNested(value: unknown, nested: Predicate): boolean {
  return Array.isArray(value) ? value.some((item) => nested(item)) : nested(value);
}

function anyLeaf(matchers: readonly unknown[]): Leaf {
  const leaves = matchers.map(leafOf);
  return (value, present) => {
    if (!Array.isArray(value)) return leaves.some((leaf) => leaf(value, present));
    return leaves.some((leaf) =>
      value.length === 0 ? leaf(undefined, present) : value.some((item) => leaf(item, present)),
    );
  };
}

function leafOf(matcher: unknown): Leaf {
  if (!isObject(matcher)) {
    if (Array.isArray(matcher)) throw unknown('value', matcher);
    return (value, present) => present && value === matcher;
  }
  const [entry, second] = Object.entries(matcher);
  if (entry === undefined || second !== undefined) throw unknown('operator', matcher);
  const [operator, argument] = entry;
  if (operator === 'exists') {
    return (value, present) => (present && value !== undefined && !isObject(value)) === (argument === true);
  }
  if (operator === 'anything-but') {
    const refused = anythingBut(argument);
    return (value, present) => present && !isObject(value) && value !== undefined && !refused(value);
  }
  const test = operatorOf(operator, argument);
  return (value, present) => present && test(value);
}

type Test = (value: unknown) => boolean;

function operatorOf(operator: string, argument: unknown): Test {
  if (operator === 'numeric') return numeric(argument);
  if (isObject(argument) && (operator === 'prefix' || operator === 'suffix')) {
    const folded = lower(textOf(operator, argument['equals-ignore-case']));
    return (value) =>
      typeof value === 'string' &&
      (operator === 'prefix' ? lower(value).startsWith(folded) : lower(value).endsWith(folded));
  }
  const text = textOf(operator, argument);
  switch (operator) {
    case 'prefix':
      return (value) => typeof value === 'string' && value.startsWith(text);
    case 'suffix':
      return (value) => typeof value === 'string' && value.endsWith(text);
    case 'equals-ignore-case':
      return (value) => typeof value === 'string' && lower(value) === lower(text);
    case 'wildcard':
      return wildcard(text);
    default:
      throw unknown('operator', operator);
  }
}

/** A value, a list of values, or an operator whose fit is refused. */
function anythingBut(argument: unknown): Test {
  if (isObject(argument)) {
    const [entry] = Object.entries(argument);
    if (entry === undefined) throw unknown('anything-but', argument);
    const [operator, values] = entry;
    const tests = [values].flat().map((value) => operatorOf(operator, value));
    return (value) => tests.some((test) => test(value));
  }
  const refused = new Set([argument].flat());
  return (value) => refused.has(value);
}

/** `[">", 0, "<=", 5]`. */
function numeric(argument: unknown): Test {
  if (!Array.isArray(argument) || argument.length === 0 || argument.length % 2 !== 0)
    throw unknown('numeric', argument);
  const bounds: ((value: number) => boolean)[] = [];
  for (let at = 0; at < argument.length; at += 2) bounds.push(bound(argument[at], argument[at + 1]));
  return (value) => typeof value === 'number' && bounds.every((holds) => holds(value));
}

function bound(comparison: unknown, limit: unknown): (value: number) => boolean {
  if (typeof limit !== 'number') throw unknown('numeric', limit);
  switch (comparison) {
    case '=':
      return (value) => value === limit;
    case '>':
      return (value) => value > limit;
    case '>=':
      return (value) => value >= limit;
    case '<':
      return (value) => value < limit;
    case '<=':
      return (value) => value <= limit;
    default:
      throw unknown('numeric', comparison);
  }
}

function wildcard(pattern: string): Test {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 's');
  return (value) => typeof value === 'string' && expression.test(value);
}

const lower = (text: string): string => text.toLowerCase();

function textOf(operator: string, argument: unknown): string {
  if (typeof argument === 'string') return argument;
  throw unknown(operator, argument);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknown(what: string, found: unknown): LocalStartError {
  return new LocalStartError(
    `The local runner does not understand this ${what} of an event filter: ${JSON.stringify(found)}.`,
  );
}
