import type { JsonWebKey } from 'node:crypto';
import { createHash } from 'node:crypto';

/** The public half of a key of P-256 (RFC 7517, 7518 section 6.2.1). */
export type PublicKey = { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string };

/** A private key that this process need not have. */
export type SigningKey = {
  readonly publicKey: () => Promise<PublicKey>;
  /** Returns the signature of ECDSA with P-256 and SHA-256: 32 bytes of r, 32 of s. */
  readonly sign: (message: Buffer) => Promise<Buffer>;
};

/** The key did not sign: it is of a service that failed. */
export class SigningUnavailable extends Error {
  override readonly name = 'SigningUnavailable';
}

/** What a signed text is, so that none is taken for another: the `typ` of its header (RFC 8725 section 3.11). */
type SignedType = 'statement-root+jws' | 'payment-certificate+jws';

/**
 * Signs a payload as a compact JWS (RFC 7515) with ES256. The header has the public key and, as `kid`, its thumbprint
 * (RFC 7638): who verifies it knows the thumbprint from elsewhere.
 */
export async function signedText(key: SigningKey, typ: SignedType, payload: object): Promise<string> {
  const jwk = await key.publicKey();
  const text = [{ alg: 'ES256', typ, kid: thumbprint(jwk), jwk }, payload].map(encoded).join('.');
  return `${text}.${(await key.sign(Buffer.from(text))).toString('base64url')}`;
}

/** Returns the members of a public key that a header shows. @throws Error for a key of another kind */
export function publicKeyOf({ kty, crv, x, y }: JsonWebKey): PublicKey {
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('The signing key is not an elliptic-curve key of P-256.');
  return { kty, crv, x, y };
}

/** The thumbprint of a public key: SHA-256 of its members in the order of their names, base64url (RFC 7638). */
function thumbprint({ crv, kty, x, y }: PublicKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
