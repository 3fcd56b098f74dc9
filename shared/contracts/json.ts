/**
 * A JSON number that is not a plain non-negative integer, kept as its text: an amount such as 10.10 must never pass through
 * binary floating point. A symbol, because no schema but that of an amount takes one.
 */
export type JsonNumber = symbol;

const PLAIN_INTEGER = /^(0|[1-9]\d{0,14})$/u;

/** Parses JSON, numbers by their own text (the `context.source` of ECMAScript's JSON.parse). Throws SyntaxError. */
export function parseJson(text: string): unknown {
  const revive = (_name: string, value: unknown, context: { source?: string }): unknown =>
    typeof value === 'number' && context.source !== undefined && !PLAIN_INTEGER.test(context.source)
      ? Symbol(context.source)
      : value;
  return JSON.parse(text, revive as (this: unknown, key: string, value: unknown) => unknown);
}

/** A number of `parseJson` as its sender wrote it; undefined for what is no number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'symbol') return value.description;
  return typeof value === 'number' ? String(value) : undefined;
}
