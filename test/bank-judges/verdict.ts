/** What a judge found: how much it looked at, and what is wrong, a line each. */
export type Verdict = { readonly passed: number; readonly failures: readonly string[] };

/** Each failure once, however often it was seen. */
export function verdictOf(looked: number, failures: readonly string[]): Verdict {
  const once = [...new Set(failures)];
  return { passed: Math.max(0, looked - failures.length), failures: once };
}
