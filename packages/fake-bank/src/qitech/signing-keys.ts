import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../replace-file.ts';

/** A P-521 key with its files: the private key in SEC 1, as the bank's page makes it, and the public key in SPKI. */
type SigningKey = {
  readonly privateKey: KeyObject;
  /** PEM. */
  readonly publicKey: string;
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
};

/** Returns the key of a name from a folder, mode 600; the first call creates it (QI Tech, “Troca de chaves”). */
export function keepSigningKey(folder: string, name: string): SigningKey {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [privateKeyFile, publicKeyFile] = [join(folder, `${name}.key`), join(folder, `${name}.key.pub`)];
  if (!existsSync(privateKeyFile)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
    replaceFile(privateKeyFile, privateKey.export({ type: 'sec1', format: 'pem' }) as string);
  }
  const privateKey = createPrivateKey(readFileSync(privateKeyFile));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string;
  replaceFile(publicKeyFile, publicKey);
  return { privateKey, publicKey, privateKeyFile, publicKeyFile };
}
