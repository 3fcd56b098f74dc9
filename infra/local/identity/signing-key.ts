import { readFileSync } from 'node:fs';
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose';
import { replaceFile } from '#infra/operator/local-environment.ts';

/** The issuer's RS256 key: the private half signs, the public half is published. */
export type SigningKey = {
  readonly id: string;
  readonly sign: CryptoKey;
  readonly published: JWK;
};

/** Reads the key kept in the file, or makes one: tokens of an earlier run stay valid. */
export async function openSigningKey(file: string): Promise<SigningKey> {
  const jwk = readKey(file) ?? (await makeKey(file));
  const { kty = 'RSA', n = '', e = '' } = jwk;
  const id = await calculateJwkThumbprint({ kty, n, e });
  const sign = (await importJWK(jwk, 'RS256')) as CryptoKey;
  return { id, sign, published: { kty, n, e, kid: id, use: 'sig', alg: 'RS256' } };
}

function readKey(file: string): JWK | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JWK;
  } catch {
    return undefined;
  }
}

async function makeKey(file: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  replaceFile(file, JSON.stringify(jwk));
  return jwk;
}
