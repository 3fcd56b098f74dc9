/** Control characters and invisible ones (Unicode Cc, Cf, Zl, Zp): with them, texts that look the same would differ. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a text has visible characters alone. Lone surrogates cannot be signed and stored everywhere. */
export function isVisible(text: string): boolean {
  return text.isWellFormed() && !invisible.test(text);
}
