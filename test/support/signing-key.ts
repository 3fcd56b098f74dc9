import { generateKeyPairSync, sign } from 'node:crypto';
import type { SigningKey } from '#shared/platform/signing/jws.ts';
import type { Signing } from '#shared/accounts/roots/sign-minute.ts';
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

/** Signs with a new key, and keeps the first root of each minute. */
export function localSigning(): Signing & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  const keep = (minute: string, jws: string): Promise<void> => {
    if (!kept.has(minute)) kept.set(minute, jws);
    return Promise.resolve();
  };
  return { key: localSigningKey(), keep, kept };
}
