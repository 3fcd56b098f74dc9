/**
 * Whether a value matches a pattern as IAM's `StringLike` compares: `*` is any number of characters, `?` exactly one,
 * both of any kind, separators and line breaks included; case counts; `${*}`, `${?}` and `${$}` are the characters
 * themselves. (IAM User Guide, "String condition operators" and "Policy variables": special characters.)
 */
export function isLike(value: string, pattern: string): boolean {
  const parts = pattern.match(/\$\{[*?$]\}|[^]/gu) ?? [];
  const source = parts.map((part) => wildcards[part] ?? literal(part.length > 1 ? part.charAt(2) : part)).join('');
  return new RegExp(`^${source}$`, 'su').test(value);
}

const wildcards: Readonly<Record<string, string>> = { '*': '.*', '?': '.' };

function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character;
}
