/** Control and invisible characters (Unicode Cc, Cf, Zl, Zp). With them, different texts could look the same. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Returns the first `length` UTF-16 units of a text at most, and never half a character. */
export function firstOf(text: string, length: number): string {
  const first = text.slice(0, length);
  return first.isWellFormed() || !text.isWellFormed() ? first : first.slice(0, -1);
}

/**
 * Whether a text has only visible characters. It must have no lone surrogates, which cannot be signed and stored
 * everywhere.
 */
export function isVisible(text: string): boolean {
  return text.isWellFormed() && !invisible.test(text);
}
