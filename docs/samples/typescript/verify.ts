import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Tells whether a notification comes from the Banking Order Service. Copy this file into your project: it needs
 * nothing but Node 20 or newer.
 */

/** Result of a verification. `because` is for your log only: in the response it would help a forger. */
export type Verdict =
  | { readonly genuine: true; readonly id: string }
  | { readonly genuine: false; readonly because: 'unsigned' | 'too old or too new' | 'signed with another secret' };

/** Request headers: as Node gives them, with names in lower case, or the Headers of a fetch Request. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

function headerOf(headers: Headers, name: string): string | readonly string[] | null | undefined {
  return typeof headers.get === 'function' ? headers.get(name) : (headers as Readonly<Record<string, string>>)[name];
}

type VerifyOptions = {
  /** Largest difference of the clocks, seconds. */
  readonly toleranceSeconds?: number;
  /** The current time, epoch seconds: for tests. */
  readonly nowSeconds?: number;
};

/**
 * Verifies the `webhook-*` headers (Standard Webhooks). The signature covers the id, the time of this attempt and the
 * body: a recorded notification that is replayed later is rejected. While a secret is being rotated, there is one
 * signature for each secret, and one match is enough.
 *
 * @param rawBody The bytes as received. JSON that was parsed and serialized again has other bytes.
 * @param headers As Node gives them, with names in lower case, or those of a fetch Request.
 * @param secret The whole string, `whsec_…`.
 */
export function verify(
  rawBody: Uint8Array | string,
  headers: Headers,
  secret: string,
  { toleranceSeconds = 300, nowSeconds = Date.now() / 1000 }: VerifyOptions = {},
): Verdict {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return { genuine: false, because: 'unsigned' };
  // Written so that a timestamp that is no number (NaN) does not pass either.
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds))
    return { genuine: false, because: 'too old or too new' };
  const key = Buffer.from(secret.replace(/^whsec_/u, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
  const matches = signatures.split(' ').map((signature) => equal(signature, `v1,${expected}`));
  return matches.includes(true) ? { genuine: true, id } : { genuine: false, because: 'signed with another secret' };
}

/**
 * Verifies `X-Signature-SHA256` alone, or `X-Signature-SHA256-Previous` while a secret is being rotated: the simpler
 * scheme, which covers the body and neither the id nor the time.
 */
export function verifyBody(rawBody: Uint8Array | string, headers: Headers, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
  const given = ['x-signature-sha256', 'x-signature-sha256-previous'].map((name) => headerOf(headers, name));
  return given.map((signature) => typeof signature === 'string' && equal(signature, expected)).includes(true);
}

/** Compares in constant time: the duration must not reveal how much of a guess was right. */
function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
