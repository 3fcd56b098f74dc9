import { createHmac, timingSafeEqual } from 'node:crypto';

/** Which code is meant. */
type CodeName = { readonly validationId: string; readonly number: number };

/** A code has six digits (docs/decisions/021). */
const codes = 1_000_000n;

/**
 * The code of a validation with this number, six digits: a keyed hash of what it is for, so that it is made again for
 * every try to send it and stored nowhere. Whoever has not the secret cannot tell it from chance (HMAC-SHA256; RFC
 * 4226 makes its passwords in the same way). 64 bits are taken, so that no code is more likely than another by more
 * than 2⁻⁴⁴.
 *
 * @param secret the company's, base64
 */
export function codeFor(secret: string, { validationId, number }: CodeName): string {
  const bits = keyedHash(secret, ['CODE', validationId, `${number}`]).readBigUInt64BE(0);
  return String(bits % codes).padStart(6, '0');
}

/**
 * What is stored of a code: without the secret it does not help to find the code, of which there are only a million.
 */
export function hashOfCode(secret: string, { validationId, number }: CodeName, code: string): string {
  return keyedHash(secret, ['CHECK', validationId, `${number}`, code]).toString('base64url');
}

/** Whether the code is the one whose hash is stored; the time it takes says nothing about how close it is. */
export function isCodeOf(secret: string, name: CodeName, stored: string, code: string): boolean {
  const given = Buffer.from(hashOfCode(secret, name, code));
  const right = Buffer.from(stored);
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * The fingerprint of a request that holds a code, as it may be stored with an idempotency key: a plain hash of six
 * digits would give them away.
 */
export function keyedFingerprint(secret: string, fingerprint: string): string {
  return keyedHash(secret, ['FINGERPRINT', fingerprint]).toString('base64url');
}

/** Of parts without line breaks: two lists of parts never look the same. */
function keyedHash(secret: string, parts: readonly string[]): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(parts.join('\n')).digest();
}
