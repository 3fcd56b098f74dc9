import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { responseToError } from '#shared/platform/http/responses.ts';
import type { SigningKey } from '#shared/platform/signing/jws.ts';

/** KMS that answers each call as the test says; not at all, if it says nothing. */
let answer: { readonly status: number; readonly body: object } | undefined;
let calls = 0;
const server = createServer((_request, response) => {
  calls += 1;
  if (answer === undefined) return;
  response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(answer.body));
});
let newKey: () => SigningKey;
/** A key of each test: it keeps what it has read. */
let key: SigningKey;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'sa-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  const { kmsKey } = await import('#shared/platform/signing/kms-key.ts');
  newKey = () => kmsKey('arn:aws:kms:sa-east-1:111111111111:key/1');
});
beforeEach(() => {
  key = newKey();
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

it.each([
  { status: 500, body: { __type: 'KMSInternalException' } },
  { status: 400, body: { __type: 'ThrottlingException' } },
  { status: 400, body: { __type: 'AccessDeniedException' } },
])('a certificate is 503, to be repeated, when KMS answers $status $body.__type', async (given) => {
  answer = given;
  for (const call of [() => key.publicKey(), () => key.sign(Buffer.from('text'))]) {
    const error = await call().catch((thrown: unknown) => thrown);
    const request = { method: 'GET', idempotencyKey: 'none', hasKey: false } as const;
    const { statusCode, headers } = responseToError(error, request);
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
  }
});

it('reads the public key again while an earlier read has no answer, and then keeps it', async () => {
  answer = undefined;
  calls = 0;
  let isAnswered = false;
  void key
    .publicKey()
    .catch(() => undefined)
    .then(() => (isAnswered = true));
  await vi.waitUntil(() => calls === 1);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  answer = {
    status: 200,
    body: { PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') },
  };
  const read = await key.publicKey();
  expect([isAnswered, calls]).toEqual([false, 2]);
  expect(await key.publicKey()).toBe(read);
  expect(calls).toBe(2);
});
