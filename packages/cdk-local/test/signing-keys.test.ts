import type { SignCommandInput } from '@aws-sdk/client-kms';
import { EncryptCommand, GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signDigest } from '#cdk-local/local-aws/sign-digest.ts';
import { createSigningKeys } from '#cdk-local/local-aws/signing-keys.ts';
import { resolve } from '#cdk-local/template/intrinsics.ts';
import { clientOptions, openServices } from './serve.ts';
import { readerOf, sqs, templateOf } from './templates.ts';

const signing = { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' };
const resources = { Key: ['AWS::KMS::Key', signing], Other: ['AWS::KMS::Key', signing] } as const;
const services = openServices();
let kms: KMSClient;

async function start(fresh = false): Promise<KMSClient> {
  const endpoint = await services.start((folder) => createSigningKeys(readerOf(resources), folder), fresh);
  return new KMSClient({ ...clientOptions, endpoint });
}

beforeAll(async () => {
  kms = await start();
});
afterAll(services.stop);

/** The value that a function has of a template's reference. */
const inFunction = (value: unknown): string =>
  resolve({ template: templateOf(resources), sqs, stack: 'Service' }, value) as string;
const byId = inFunction({ Ref: 'Key' });
const byArn = inFunction({ 'Fn::GetAtt': ['Key', 'Arn'] });

async function publicKeyOf(KeyId: string, client = kms): Promise<Buffer> {
  const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId }));
  return Buffer.from(PublicKey);
}

const message = Buffer.from('What is signed, até o fim.');
const raw = { KeyId: byId, Message: message, SigningAlgorithm: 'ECDSA_SHA_256' } as const;
const digest = { ...raw, Message: createHash('sha256').update(message).digest(), MessageType: 'DIGEST' } as const;

/** Whether OpenSSL finds that the key signed the message. */
async function isSigned(input: SignCommandInput, signed: Buffer, by: string): Promise<boolean> {
  const { Signature = new Uint8Array() } = await kms.send(new SignCommand(input));
  const key = createPublicKey({ key: await publicKeyOf(by), format: 'der', type: 'spki' });
  return verify('sha256', signed, key, Signature);
}

describe('a signing key', () => {
  test('makes signatures that OpenSSL accepts when their numbers are short, or begin with a bit of 1', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const messages = Array.from({ length: 300 }, (_, at) => `message ${at}`);
    const signatures = messages.map((text) => signDigest(privateKey, createHash('sha256').update(text).digest()));
    const wrong = messages.filter((text, at) => !verify('sha256', Buffer.from(text), publicKey, signatures[at]!));
    expect(wrong).toEqual([]);
    expect(new Set(signatures.map(({ length }) => length)).size).toBeGreaterThan(2);
  });

  test('signs messages and digests', async () => {
    expect(await isSigned(raw, message, byId)).toBe(true);
    expect(await isSigned({ ...digest, KeyId: byArn }, message, byArn)).toBe(true);
    expect(await isSigned(raw, Buffer.from('another message'), byId)).toBe(false);
    expect(await isSigned(raw, message, inFunction({ Ref: 'Other' }))).toBe(false);
  });

  test('is named by the id and the ARN that the template gives to functions', async () => {
    expect(byArn).toBe(`arn:aws:kms:sa-east-1:000000000000:key/${byId}`);
    expect(inFunction({ 'Fn::GetAtt': ['Key', 'KeyId'] })).toBe(byId);
    const signed = await kms.send(new SignCommand(raw));
    expect(signed).toMatchObject({ KeyId: byArn, SigningAlgorithm: 'ECDSA_SHA_256' });
    expect(await kms.send(new GetPublicKeyCommand({ KeyId: byArn }))).toMatchObject({
      ...{ KeyId: byArn, KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY', SigningAlgorithms: ['ECDSA_SHA_256'] },
    });
  });

  test('is in a file that only its user reads, stays after a restart, and is new after a fresh start', async () => {
    const before = await publicKeyOf(byId);
    const keys = join(services.path, 'signing-keys');
    const modes = readdirSync(keys).map((name) => [name, (statSync(join(keys, name)).mode & 0o777).toString(8)]);
    expect(modes).toEqual([
      ['Service-Key.pem', '600'],
      ['Service-Other.pem', '600'],
    ]);
    expect(await publicKeyOf(byId, await start())).toEqual(before);
    expect(await publicKeyOf(byId, await start(true))).not.toEqual(before);
  });
});

describe('KMS', () => {
  test.each<[string, Partial<SignCommandInput>, string]>([
    ['an unknown key', { KeyId: 'Service-Nothing' }, 'NotFoundException'],
    ['an alias', { KeyId: 'alias/signing' }, 'NotFoundException'],
    ['another algorithm', { SigningAlgorithm: 'ECDSA_SHA_384' }, 'InvalidKeyUsageException'],
    ['a digest of another length', { MessageType: 'DIGEST', Message: Buffer.alloc(31) }, 'ValidationException'],
    ['an empty message', { Message: new Uint8Array() }, 'ValidationException'],
    ['a message of more than 4096 bytes', { Message: Buffer.alloc(4097) }, 'ValidationException'],
    ['an option that it does not have', { DryRun: true }, 'ValidationException'],
  ])('refuses to sign when the request has %s', async (_what, changes, name) => {
    const refusal = { name, $metadata: { httpStatusCode: 400 } };
    await expect(kms.send(new SignCommand({ ...raw, ...changes }))).rejects.toMatchObject(refusal);
  });

  test('has no public key when the key is unknown', async () => {
    await expect(publicKeyOf('Service-Nothing')).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  test('refuses another operation', async () => {
    const encrypt = new EncryptCommand({ KeyId: byId, Plaintext: message });
    await expect(kms.send(encrypt)).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });

  test.each([
    [{}, 'KeySpec'],
    [{ ...signing, KeySpec: 'SYMMETRIC_DEFAULT' }, 'KeySpec'],
    [{ ...signing, KeyUsage: 'KEY_AGREEMENT' }, 'KeyUsage'],
    [{ ...signing, Origin: 'EXTERNAL' }, 'Origin'],
    [{ ...signing, EnableKeyRotation: true }, 'EnableKeyRotation'],
  ])('stops the start when a key has %j', async (properties, culprit) => {
    const read = readerOf({ Key: ['AWS::KMS::Key', properties] });
    await expect(services.start((folder) => createSigningKeys(read, folder))).rejects.toThrow(
      new RegExp(`^AWS::KMS::Key Service\\.Key: (?:.|\n)*supports only(?:.|\n)*at ${culprit}`, 'u'),
    );
  });
});
