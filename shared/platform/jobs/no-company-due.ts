/**
 * Index attributes of a job in its company's due index: none in production, where nothing reads that index.
 * `#company-due` is this file, or with the condition `simulation` shared/sandbox/company-due.ts. It is apart from
 * `#sandbox`, whose files import keys.ts.
 */
export function dueInCompany<Attributes>(_attributes: Attributes): Attributes | undefined {
  return undefined;
}
