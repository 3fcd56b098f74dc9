import { parseLocation } from './br-code/location.ts';
import { isUuid } from './identifiers.ts';

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
