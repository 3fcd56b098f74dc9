import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

type Signed = {
  readonly raw: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Time of arrival, epoch milliseconds; default: now. */
  readonly at?: number;
};

/** The errors of a notification's signatures under a secret, for people. */
export function signatureErrors({ raw, headers, at }: Signed, secret: string): readonly string[] {
  return [
    ...(hexMatches(raw, header(headers, 'x-signature-sha256'), secret) ? [] : ['X-Signature-SHA256 does not match']),
    ...standardErrors(raw, headers, secret, at),
  ];
}

/** Whether `sha256=<hex>` is the HMAC of the raw bytes, keyed with the text of the secret. Constant time. */
export function hexMatches(raw: Buffer, value: string, secret: string): boolean {
  const given = /^sha256=([0-9a-f]{64})$/u.exec(value)?.[1];
  const digest = createHmac('sha256', secret).update(raw).digest();
  return given !== undefined && timingSafeEqual(Buffer.from(given, 'hex'), digest);
}

/**
 * Verifies Standard Webhooks by its library, which rejects a notification that was older than five minutes at its
 * arrival.
 */
export function standardErrors(
  raw: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  at = Date.now(),
): readonly string[] {
  const { now } = Date;
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  try {
    Date.now = () => at;
    new Webhook(secret).verify(raw, Object.fromEntries(names.map((name) => [name, header(headers, name)])));
    return [];
  } catch (error) {
    return [`webhook-signature: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    Date.now = now;
  }
}

/** The value of a header; empty without it. */
function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
