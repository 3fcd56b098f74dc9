import { createHash, createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { endAfterMs } from '../call-limit.ts';
import { fixedSignature } from './der-signature.ts';
import type { PublicKey, SigningKey } from './jws.ts';
import { publicKeyOf, SigningUnavailable } from './jws.ts';

/** The client of every key. A call that hangs ends before the function does. */
const kms = new KMSClient({ maxAttempts: 2, requestHandler: endAfterMs(3000) });

/**
 * A key of P-256 in AWS KMS, which never leaves it. Its public half is read once in the life of the process.
 * @throws SigningUnavailable
 */
export function kmsKey(keyArn: string): SigningKey {
  // The value and not its promise: an invocation that ends before its answer leaves nothing for others to wait for.
  let known: PublicKey | undefined;
  return {
    publicKey: async () => {
      if (known !== undefined) return known;
      const read = await readPublicKey(keyArn);
      known = read;
      return read;
    },
    sign: async (message) => {
      const command = new SignCommand({
        KeyId: keyArn,
        // KMS takes at most 4 096 bytes of a message, and a hash of any.
        Message: createHash('sha256').update(message).digest(),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      const { Signature } = await kms.send(command).catch(unavailable);
      if (Signature === undefined) throw new Error('KMS signed without a signature.');
      return fixedSignature(Buffer.from(Signature));
    },
  };
}

async function readPublicKey(KeyId: string): Promise<PublicKey> {
  const { PublicKey: spki } = await kms.send(new GetPublicKeyCommand({ KeyId })).catch(unavailable);
  if (spki === undefined) throw new Error('KMS returned no public key.');
  const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  return publicKeyOf(key.export({ format: 'jwk' }));
}

function unavailable(cause: unknown): never {
  throw new SigningUnavailable('KMS did not answer, or refused.', { cause });
}
