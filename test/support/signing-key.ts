import { generateKeyPairSync, sign } from 'node:crypto';
import type { SigningKey } from '#shared/platform/signing/jws.ts';
import { publicKeyOf } from '#shared/platform/signing/jws.ts';

/** A new key of P-256 in this process. */
export function localSigningKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKeyOf(publicKey.export({ format: 'jwk' }));
  return {
    publicKey: () => Promise.resolve(jwk),
    sign: (message) => Promise.resolve(sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
  };
}
