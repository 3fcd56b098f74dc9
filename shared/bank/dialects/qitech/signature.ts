import { createHash, createPrivateKey, sign } from 'node:crypto';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BankSecret } from './credentials.ts';

type Signed = {
  readonly method: string;
  /** Path with query, as it is sent. */
  readonly uri: string;
  /** The bytes that are sent. */
  readonly body?: string | undefined;
};

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Returns the headers by which the bank knows us (docs.qitech.com.br, "Authentication test"): our client key, and a JWT
 * (ES512) with the digest of the body. A request without a body has the digest of `{}`.
 * @param at in milliseconds; the bank's examples have microseconds
 */
export function signedHeaders(
  { method, uri, body = '{}' }: Signed,
  { clientId, key }: BankSecret,
  at: Instant,
): Readonly<Record<string, string>> {
  const claims = {
    payload_md5: createHash('md5').update(body).digest('hex'),
    timestamp: at.replace(/Z$/u, '000Z'),
    method,
    uri,
  };
  const text = `${base64url({ typ: 'JWT', alg: 'ES512' })}.${base64url(claims)}`;
  // JWS takes both numbers of the signature one after the other (RFC 7518, 3.4), where OpenSSL writes DER.
  const signature = sign('sha512', Buffer.from(text), { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' });
  return { 'API-CLIENT-KEY': clientId, AUTHORIZATION: `${text}.${signature.toString('base64url')}` };
}
