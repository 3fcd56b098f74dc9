import type { KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';

/** Signs a digest of 32 bytes: Node signs only what it hashes itself. @returns DER, as KMS does */
export function signDigest(key: KeyObject, digest: Buffer): Buffer {
  const scalar = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(p256.sign(digest, scalar, { prehash: false, lowS: false, format: 'der' }));
}
