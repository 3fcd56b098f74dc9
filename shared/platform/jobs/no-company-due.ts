/**
 * The attributes by which work that follows a company's clock stands in the index of its company: in production none,
 * which pays for no entry that nobody reads there. `#company-due` is this file, or with the condition `simulation`
 * shared/sandbox/company-due.ts; it has no part in `#sandbox`, whose files build keys themselves.
 */
export function dueInCompany<Attributes>(_attributes: Attributes): Attributes | undefined {
  return undefined;
}
