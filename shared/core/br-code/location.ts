/** The identifier (GUI) of the Pix arrangement in a BR Code, compared without case. */
export const pixGui = 'br.gov.bcb.pix';

const maxLength = 77;
const location = /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})((?:\/[a-z0-9._~!$&'()*+,;=:@%-]+)+)$/i;

/** Host and path of a location: `host/path/token`, at most 77 characters, no scheme (MPI 2.5.2); else `undefined`. */
export function parseLocation(url: string): { host: string; path: string } | undefined {
  if (url.length > maxLength || !location.test(url)) return undefined;
  const end = url.indexOf('/');
  return { host: url.slice(0, end).toLowerCase(), path: url.slice(end) };
}

const path = /^\/qr\/v2\/cob\/([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/**
 * Returns the location of a pay-in's cob in its QR code (MPI 2.5.2). The token is the `txid`, which is the order's id
 * without hyphens: unguessable, and the order is found from it without an index.
 */
export function chargeLocation(host: string, txid: string): string {
  return `${host}/qr/v2/cob/${txid.replaceAll('-', '')}`;
}

/** Returns the order id in a location of this service; undefined for any other location. */
export function orderOfLocation(host: string, url: string): string | undefined {
  const location = parseLocation(url);
  if (location?.host !== host.toLowerCase()) return undefined;
  return path.exec(location.path)?.slice(1).join('-');
}
