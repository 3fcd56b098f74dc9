/** What names the Pix arrangement inside a template; readers compare it without regard to case. */
export const pixGui = 'br.gov.bcb.pix';

const maxLength = 77;
const location = /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})((?:\/[a-z0-9._~!$&'()*+,;=:@%-]+)+)$/i;

/**
 * Host and path of a payload's address as a BR Code carries it: `host/path/token`, at most 77 characters, no scheme
 * (BCB, Manual de Padrões para Iniciação do Pix, 2.5.2); `undefined` for any other text.
 */
export function parseLocation(url: string): { host: string; path: string } | undefined {
  if (url.length > maxLength || !location.test(url)) return undefined;
  const end = url.indexOf('/');
  return { host: url.slice(0, end).toLowerCase(), path: url.slice(end) };
}
