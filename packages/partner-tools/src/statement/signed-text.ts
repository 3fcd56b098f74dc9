import type { JsonWebKey } from 'node:crypto';
import { createHash, createPublicKey, verify } from 'node:crypto';
import * as z from 'zod';
import { jsonOf } from '../api/http.ts';

const PublicKey = z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() });
const Header = z.object({ alg: z.literal('ES256'), typ: z.string(), kid: z.string(), jwk: PublicKey });

/** A signed text that verifies; `key` is the thumbprint of the public key in its header (RFC 7638). */
type Signed = { readonly payload: unknown; readonly key: string };

/**
 * Verifies a compact JWS (RFC 7515) with ES256 by the key in its header. It proves who signed only to those who know
 * the thumbprint of the key from elsewhere.
 * @param typ what the text must say that it is
 * @returns undefined for a text that is malformed, of another type, or changed
 */
export function verifySigned(jws: string, typ: string): Signed | undefined {
  const parts = jws.split('.');
  const [head = '', payload = '', signature = ''] = parts;
  const header = Header.safeParse(jsonOf(decoded(head))).data;
  if (parts.length !== 3 || header?.typ !== typ) return undefined;
  const key = thumbprint(header.jwk);
  if (header.kid !== key || !isSigned(`${head}.${payload}`, signature, header.jwk)) return undefined;
  return { payload: jsonOf(decoded(payload)), key };
}

/**
 * Returns the thumbprint of a public key of P-256 in PEM.
 * @throws Error for a text that is no such key
 */
export function thumbprintOf(pem: string): string {
  return thumbprint(PublicKey.parse(createPublicKey(pem).export({ format: 'jwk' })));
}

function thumbprint({ crv, kty, x, y }: z.output<typeof PublicKey>): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString();
}

/** Numbers that are no point of the curve are no key. */
function isSigned(text: string, signature: string, jwk: JsonWebKey): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes);
  } catch {
    return false;
  }
}
