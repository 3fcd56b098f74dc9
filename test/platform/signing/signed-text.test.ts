import { createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { expect, test } from 'vitest';
import { publicKeyOf, signedText } from '#shared/platform/signing/jws.ts';
import { fixedSignature } from '#shared/platform/signing/der-signature.ts';
import { localSigningKey } from '#test/support/signing-key.ts';
import { fc } from '#test/support/properties.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const der = (message: string): Buffer => createSign('sha256').update(message).sign(privateKey);

test('a signed text verifies with another library, and its header names its type and its key', async () => {
  const key = localSigningKey();
  const text = await signedText(key, 'statement-root+jws', { minute: '2026-01-15T15:04', root: 'é' });
  const jwk = await key.publicKey();
  const { payload, protectedHeader } = await compactVerify(text, await importJWK({ ...jwk }, 'ES256'));
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual({ minute: '2026-01-15T15:04', root: 'é' });
  expect(protectedHeader).toEqual({
    alg: 'ES256',
    typ: 'statement-root+jws',
    kid: await calculateJwkThumbprint({ ...jwk }),
    jwk,
  });
});

test('the signature of KMS keeps its meaning as 64 bytes, however short its numbers are', () => {
  fc.assert(
    fc.property(fc.string(), (message) => {
      const fixed = fixedSignature(der(message));
      expect(fixed.length).toBe(64);
      const verifier = createVerify('sha256').update(message);
      expect(verifier.verify({ key: publicKey, dsaEncoding: 'ieee-p1363' }, fixed)).toBe(true);
    }),
    { numRuns: 300 },
  );
  const short = Buffer.from('3006020101020200ff', 'hex');
  short[1] = short.length - 2;
  expect(fixedSignature(short).toString('hex')).toBe(`${'00'.repeat(31)}01${'00'.repeat(31)}ff`);
});

test('a signature that is no pair of numbers is refused', () => {
  const good = der('x');
  const bad = [
    Buffer.alloc(0),
    good.subarray(0, -1),
    Buffer.concat([good, Buffer.from([0])]),
    Buffer.from('3003020101', 'hex'),
    Buffer.from('3009020101020101020101', 'hex'),
    Buffer.from('3006030101020101', 'hex'),
    Buffer.from('3006020002020101', 'hex'),
    Buffer.from(`3026022101${'00'.repeat(32)}020101`, 'hex'),
  ];
  for (const bytes of bad) expect(() => fixedSignature(bytes), bytes.toString('hex')).toThrow('malformed');
});

test('a key of another curve or kind is refused', () => {
  const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  expect(() => publicKeyOf(other.export({ format: 'jwk' }))).toThrow('P-256');
  const { publicKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(() => publicKeyOf(rsa.export({ format: 'jwk' }))).toThrow('P-256');
});
