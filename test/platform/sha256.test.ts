import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '#shared/platform/sha256.ts';
import { fc } from '../support/properties.ts';

/** What a client uses where it is given nothing else. */
const sdk = new DynamoDBClient({ region: 'us-east-1' }).config.sha256;

const anyBytes = fc.uint8Array({ maxLength: 300 });
/** In the middle of a larger buffer, as Node's pool gives them. */
const anyPart = fc
  .tuple(anyBytes, fc.nat(9), fc.nat(9))
  .map(([bytes, before, after]) =>
    Uint8Array.of(...new Uint8Array(before), ...bytes, ...new Uint8Array(after)).subarray(
      before,
      before + bytes.length,
    ),
  );
const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const anyKey = fc.oneof(
  anyPart,
  anyText,
  anyBytes.map((bytes) => new Uint8Array(bytes).buffer),
);

const hexOf = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

test('gives the digests of the SDK and of Node, whatever the key and the pieces', async () => {
  const pieces = fc.array(fc.oneof(anyPart, anyText), { maxLength: 4 });
  const input = fc.record({ key: fc.option(anyKey, { nil: undefined }), pieces });
  await fc.assert(
    fc.asyncProperty(input, async ({ key, pieces }) => {
      const own = new Sha256(key);
      const theirs = new sdk(key);
      const isKeyed = key !== undefined && key !== '';
      const bytes = key instanceof ArrayBuffer ? new Uint8Array(key) : (key ?? '');
      const node = isKeyed ? createHmac('sha256', bytes) : createHash('sha256');
      for (const piece of pieces) {
        own.update(piece);
        theirs.update(piece);
        node.update(piece);
      }
      const digest = hexOf(await own.digest());
      expect(digest).toBe(hexOf(await theirs.digest()));
      expect(digest).toBe(node.digest('hex'));
    }),
    { numRuns: 500 },
  );
});

test('begins anew with the same key', async () => {
  await fc.assert(
    fc.asyncProperty(anyKey, anyPart, async (key, bytes) => {
      const once = new Sha256(key);
      once.update(bytes);
      const again = new Sha256(key);
      again.update('something else');
      again.reset();
      again.update(bytes);
      expect(hexOf(await again.digest())).toBe(hexOf(await once.digest()));
    }),
  );
});
