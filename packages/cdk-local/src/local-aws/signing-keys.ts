import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { jsonResponse } from '../api/http-server.ts';
import type { HttpResponse } from '../api/request.ts';
import type { DataFolder } from '../data-folder.ts';
import { replaceFile } from '../data-folder.ts';
import { arn } from '../template/local-values.ts';
import type { ReadResources } from '../template/resources.ts';
import { signDigest } from './sign-digest.ts';
import { readInput, serveAt } from './service-route.ts';

const only = (feature: string) => ({ error: `the local environment supports only ${feature}` });

/** Properties that decide what a key does; policy, description, tags, other regions, time to deletion are ignored. */
const keyShape = z.object({
  KeySpec: z.literal('ECC_NIST_P256', only('keys of ECC_NIST_P256')),
  KeyUsage: z.literal('SIGN_VERIFY', only('keys for SIGN_VERIFY')),
  Enabled: z.literal(true, only('keys that are enabled')).optional(),
  Origin: z.literal('AWS_KMS', only('keys that AWS KMS generates')).optional(),
  EnableKeyRotation: z.literal(false, only('keys without rotation')).optional(),
});

const algorithm = 'ECDSA_SHA_256';
const base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));
const signShape = z
  .strictObject({
    KeyId: z.string(),
    Message: base64.refine(({ length }) => length >= 1 && length <= 4096),
    MessageType: z.enum(['RAW', 'DIGEST']).default('RAW'),
    SigningAlgorithm: z.string(),
  })
  .refine(({ Message, MessageType }) => MessageType === 'RAW' || Message.length === 32);
const publicKeyShape = z.strictObject({ KeyId: z.string() });

type SigningKey = { readonly arn: string; readonly key: KeyObject };
type FindKey = (idOrArn: string) => SigningKey | undefined;

/**
 * KMS for the functions: `Sign` and `GetPublicKey` by the template's keys, in KMS's protocol (AWS KMS API reference,
 * "Actions"). A key is generated when the template has it for the first time, and stays in the folder.
 *
 * @throws LocalStartError for a key of another kind.
 */
export function createSigningKeys(read: ReadResources, folder: DataFolder) {
  const keys = new Map(
    read('AWS::KMS::Key', keyShape).flatMap(({ name }) => {
      const signing = { arn: arn('kms', `key/${name}`), key: keepKey(folder, name) };
      return [name, signing.arn].map((id) => [id, signing] as const);
    }),
  );
  const find: FindKey = (idOrArn) => keys.get(idOrArn);
  return serveAt('kms', ({ headers, body }) => {
    switch (headers['x-amz-target']) {
      case 'TrentService.Sign':
        return sign(find, body);
      case 'TrentService.GetPublicKey':
        return getPublicKey(find, body);
      default:
        return refuse('UnknownOperationException', 'The local environment supports Sign and GetPublicKey.');
    }
  });
}

/** Returns the private key of this name in the folder, a new one where there is none. */
function keepKey(folder: DataFolder, name: string): KeyObject {
  const keys = folder.file('signing-keys');
  const file = `${keys}/${name}.pem`;
  if (!existsSync(file)) {
    mkdirSync(keys, { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    replaceFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  }
  return createPrivateKey(readFileSync(file));
}

function sign(find: FindKey, body: Buffer): HttpResponse {
  const input = readInput(signShape, body);
  if (input === undefined)
    return refuse('ValidationException', 'Sign needs a key and a message of 1 to 4096 bytes, or a digest of 32 bytes.');
  const found = find(input.KeyId);
  if (found === undefined) return noSuchKey();
  if (input.SigningAlgorithm !== algorithm)
    return refuse('InvalidKeyUsageException', `The algorithm of this key is ${algorithm}.`);
  const isDigest = input.MessageType === 'DIGEST';
  const digest = isDigest ? input.Message : createHash('sha256').update(input.Message).digest();
  return jsonResponse(200, {
    KeyId: found.arn,
    Signature: signDigest(found.key, digest).toString('base64'),
    SigningAlgorithm: algorithm,
  });
}

function getPublicKey(find: FindKey, body: Buffer): HttpResponse {
  const input = readInput(publicKeyShape, body);
  if (input === undefined) return refuse('ValidationException', 'GetPublicKey needs only a key.');
  const found = find(input.KeyId);
  if (found === undefined) return noSuchKey();
  return jsonResponse(200, {
    KeyId: found.arn,
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    PublicKey: createPublicKey(found.key).export({ type: 'spki', format: 'der' }).toString('base64'),
    SigningAlgorithms: [algorithm],
  });
}

function noSuchKey(): HttpResponse {
  return refuse('NotFoundException', 'There is no such key.');
}

function refuse(type: string, message: string): HttpResponse {
  return jsonResponse(400, { __type: type, message });
}
