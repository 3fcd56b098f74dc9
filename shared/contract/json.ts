import { MalformedJson, requireSingleMembers } from './json-members.ts';

const plainInteger = /^(0|[1-9]\d{0,14})$/u;

/**
 * Parses JSON (RFC 8259), numbers by their own text (the `context.source` of ECMAScript's JSON.parse). A number that is
 * not a plain non-negative integer becomes a symbol with that text: an amount such as 10.10 must never pass through
 * binary floating point, and no schema but those of numbers takes a symbol.
 * @throws MalformedJson for what is not JSON, an object that names a member twice, and nesting beyond any use.
 */
export function parseJson(text: string): unknown {
  const revive = (_name: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' && context.source !== undefined && !plainInteger.test(context.source)
      ? Symbol(context.source)
      : value;
  try {
    requireSingleMembers(text);
    return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown);
  } catch (error) {
    if (error instanceof SyntaxError) throw new MalformedJson('', 'The body is not valid JSON.');
    throw error;
  }
}

/** A number of `parseJson` as its sender wrote it; undefined for what is no number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'symbol') return value.description;
  return typeof value === 'number' ? String(value) : undefined;
}
