import { isUuid } from '../identifiers.ts';

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

const path = /^\/qr\/v2\/cob\/([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * The address of a pay-in's charge, as its QR code carries it (BCB, Manual de Padrões para Iniciação do Pix, 2.5.2).
 * The token is the charge's `txid`, which is the order's id without hyphens: unguessable, and it leads back to the
 * order without an index.
 */
export function chargeLocation(host: string, txid: string): string {
  return `${host}/qr/v2/cob/${txid.replaceAll('-', '')}`;
}

/** The order whose charge is at this address of ours; undefined for any other address. */
export function orderOfLocation(host: string, url: string): string | undefined {
  const location = parseLocation(url);
  if (location?.host !== host.toLowerCase()) return undefined;
  const id = path.exec(location.path)?.slice(1).join('-');
  return id !== undefined && isUuid(id) ? id : undefined;
}
