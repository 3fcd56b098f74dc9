/** Control and invisible characters (Unicode Cc, Cf, Zl, Zp). With them, different texts could look the same. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Whether a text has only visible characters. It must have no lone surrogates, which cannot be signed and stored
 * everywhere.
 */
export function isVisible(text: string): boolean {
  return text.isWellFormed() && !invisible.test(text);
}
