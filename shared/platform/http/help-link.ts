import type { Detail } from '#shared/core/errors.ts';

/**
 * Returns the value of an error's header `link` (RFC 8288): a page for each of its issues, or the page of its status
 * where it has no details.
 * @param pages where the pages are, up to the code at the end of their addresses
 */
export function helpLink(pages: string, status: number, details: readonly Pick<Detail, 'issue'>[]): string {
  const codes = details.length === 0 ? [String(status)] : details.map(({ issue }) => issue.toLowerCase());
  return [...new Set(codes)].map((code) => `<${pages}${code}>; rel="help"`).join(', ');
}
