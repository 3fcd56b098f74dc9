import * as z from 'zod';
import { keys } from '../platform/table/keys.ts';
import { parseItem } from '../platform/table/parse.ts';
import type { Put, Store } from '../platform/table/store.ts';

const named = {
  kid: z.string().max(256).exactOptional(),
  use: z.literal('sig').exactOptional(),
  alg: z.string().max(16).exactOptional(),
};
const base64url = (least: number, most: number) => z.string().regex(new RegExp(`^[\\w-]{${least},${most}}$`, 'u'));

/** A public key for RS256 or ES256: its members of RFC 7518, 6.2.1 and 6.3.1. RSA of 2048 to 8192 bits. */
export const IssuerKey = z.discriminatedUnion('kty', [
  z.object({ kty: z.literal('RSA'), ...named, n: base64url(342, 1366), e: base64url(1, 11) }),
  z.object({ kty: z.literal('EC'), ...named, crv: z.literal('P-256'), x: base64url(43, 43), y: base64url(43, 43) }),
]);
export type IssuerKey = z.output<typeof IssuerKey>;

const IssuerKeysItem = z.object({
  keys: z.array(IssuerKey).min(1),
  /** Time of the request to the issuer, epoch milliseconds. */
  askedAtMs: z.number(),
});
export type IssuerKeys = z.output<typeof IssuerKeysItem>;

/** Reads the newest keys that any authorizer has stored. @throws CorruptItem */
export async function readIssuerKeys(store: Store, jwksUri: string): Promise<IssuerKeys | undefined> {
  const [item] = await store.read([keys.issuerKeys(jwksUri)]);
  return item && parseItem(IssuerKeysItem, item, 'issuer key set');
}

/** Stores keys unless newer ones are stored: a slow response must not bring a withdrawn key back. */
export function issuerKeysPut(jwksUri: string, { keys: published, askedAtMs }: IssuerKeys, livesMs: number): Put {
  const expiresAt = Math.ceil((askedAtMs + livesMs) / 1000);
  return {
    put: { ...keys.issuerKeys(jwksUri), entity: 'ISSUER_KEYS', keys: published, askedAtMs, expiresAt },
    when: { any: [{ is: 'absent' }, { before: { askedAtMs } }] },
  };
}
