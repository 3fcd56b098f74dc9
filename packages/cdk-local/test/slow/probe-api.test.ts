import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Probe } from '../probe/start-probe.ts';
import { startProbe } from '../probe/start-probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'probe-api-'));
let environment: Probe;

beforeAll(async () => {
  environment = await startProbe(folder);
});
afterAll(async () => {
  await environment.stop();
  rmSync(folder, { recursive: true });
});

/** Bodies are JSON of all kinds; each test says what it expects in them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- typed by the expectations
type Json = any;
type Answer = { status: number; headers: Headers; body: Record<string, Json> };

async function call(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${environment.baseUrl}${path}`, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, Json> };
}

/** Sends bytes as they are and reads until the other side closes. */
async function raw(bytes: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(environment.baseUrl).port), '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { head, body };
}

const as = (token: string): RequestInit => ({ headers: { authorization: token } });
const refused = (response: Answer): unknown[] => [response.status, response.body['error']];

describe('proxy events', () => {
  test('a function sees method, path, query, headers and body as API Gateway passes them', async () => {
    const { body } = await call('/open?a=1&a=2&b=x+y%20z&c', {
      method: 'POST',
      headers: { 'X-Thing': 'one', 'content-type': 'text/plain' },
      body: 'olá',
    });
    const { event } = body;
    expect(event).toMatchObject({
      resource: '/open',
      path: '/open',
      httpMethod: 'POST',
      queryStringParameters: { a: '2', b: 'x y z', c: '' },
      multiValueQueryStringParameters: { a: ['1', '2'], b: ['x y z'], c: [''] },
      pathParameters: null,
      stageVariables: null,
      body: 'olá',
      isBase64Encoded: false,
      requestContext: {
        stage: 'v1',
        path: '/v1/open',
        resourcePath: '/open',
        httpMethod: 'POST',
        protocol: 'HTTP/1.1',
      },
    });
    expect(event.requestContext.identity.sourceIp).toBe('127.0.0.1');
    expect(event.requestContext.authorizer).toBeUndefined();
    expect(event.headers).toMatchObject({ 'X-Thing': 'one', 'X-Forwarded-For': '127.0.0.1' });
  });

  test('have the last value of a header sent twice, both values in its list, and the letter case of its name', async () => {
    const response = await raw(
      'GET /open HTTP/1.1\r\nHost: x\r\nX-Twice: one\r\nx-twice: two\r\nConnection: close\r\n\r\n',
    );
    const { event } = JSON.parse(response.body) as { event: Record<string, Json> };
    expect(event['headers']['X-Twice']).toBe('two');
    expect(event['multiValueHeaders']['X-Twice']).toEqual(['one', 'two']);
  });

  test('path parameters are decoded, and what is absent is null', async () => {
    const { body } = await call('/orders/a%2Fb%20%C3%A9', as('Bearer ok'));
    expect(body['event']).toMatchObject({
      pathParameters: { id: 'a/b é' },
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
    });
  });

  test('bytes that are no text arrive with replacement characters', async () => {
    const { status, body } = await call('/open', { method: 'PUT', body: new Uint8Array([0xff, 0x41, 0xc0]) });
    expect([status, body['event'].body]).toEqual([200, '\uFFFDA\uFFFD']);
  });

  test('functions have the variables of the template, those known at run time replaced, and source maps', async () => {
    const { body } = await call('/open');
    expect(body['environment']).toMatchObject({
      stage: 'probe',
      region: 'sa-east-1',
      settings: { of: 'this run' },
    });
    expect(body['sourceMaps']).toBe(true);
    expect(body['remaining']).toBeLessThanOrEqual(1000);
    expect(body['remaining']).toBeGreaterThan(0);
  });

  test('the SDK signs by the key and writes to the bucket of the template when it has the variables of a function', async () => {
    const { environment: its } = (await call('/open')).body as { environment: Record<'kms' | 's3', [string, string]> };
    const client = { region: 'sa-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
    const [[kmsEndpoint, KeyId], [s3Endpoint, Bucket]] = [its.kms, its.s3];
    const kms = new KMSClient({ ...client, endpoint: kmsEndpoint });
    const s3 = new S3Client({ ...client, endpoint: s3Endpoint, forcePathStyle: true });
    const Message = Buffer.from('signed');
    const { Signature = new Uint8Array() } = await kms.send(
      new SignCommand({ KeyId, Message, SigningAlgorithm: 'ECDSA_SHA_256' }),
    );
    const { PublicKey = new Uint8Array() } = await kms.send(new GetPublicKeyCommand({ KeyId }));
    const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    expect(verify('sha256', Message, key, Signature)).toBe(true);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'signed/1', Body: Signature, IfNoneMatch: '*' }));
    expect(readFileSync(join(folder, 'buckets', Bucket, 'signed/1'))).toEqual(Buffer.from(Signature));
  });

  test('status, headers and body reach the caller', async () => {
    const response = await fetch(`${environment.baseUrl}/open?fault=headers`);
    expect([response.status, await response.text()]).toEqual([201, 'plain']);
    expect(response.headers.get('x-one')).toBe('first');
    expect(response.headers.get('x-amzn-remapped-connection')).toBe('close');
  });
});

describe('token authorizer', () => {
  test('its context reaches the function as texts, and its answer is kept for the same token', async () => {
    const first = await call('/orders', as('Bearer keep.1'));
    const second = await call('/orders/7', as('Bearer keep.1'));
    const other = await call('/orders', as('Bearer keep.2'));
    const callsOf = ({ body }: Answer): number => Number(body['event'].requestContext.authorizer.calls);
    expect(first.body['event'].requestContext.authorizer).toMatchObject({
      companyId: 'company-1',
      active: 'true',
      principalId: 'client-1',
    });
    expect(callsOf(second)).toBe(callsOf(first));
    expect(callsOf(other)).toBe(callsOf(first) + 1);
  });

  test('without a token, or with one of another form, the caller is refused and no function asked', async () => {
    const before = Number((await call('/orders', as('Bearer count.1'))).body['event'].requestContext.authorizer.calls);
    const missing = await call('/orders');
    expect(refused(missing)).toEqual([401, 'UNAUTHORIZED']);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
    expect(missing.headers.get('x-request-id')).toBe(missing.headers.get('x-amzn-requestid'));
    expect(refused(await call('/orders', as('Basic abc')))).toEqual([401, 'UNAUTHORIZED']);
    expect(refused(await call('/orders', as('Bearer ok BUT')))).toEqual([401, 'UNAUTHORIZED']);
    const after = Number((await call('/orders', as('Bearer count.2'))).body['event'].requestContext.authorizer.calls);
    expect(after).toBe(before + 1);
  });

  test.each([
    ['throws Unauthorized', 'Bearer unauthorized', 401, 'UNAUTHORIZED'],
    ['returns a Deny', 'Bearer deny', 403, 'FORBIDDEN_ERROR'],
    ['returns a policy without statements', 'Bearer none', 403, 'FORBIDDEN_ERROR'],
    ['throws another error', 'Bearer broken', 500, 'INTERNAL_ERROR'],
    ['returns no policy', 'Bearer odd', 500, 'INTERNAL_ERROR'],
  ])('an API whose authorizer %s answers the token %s with %i %s', async (_what, token, status, error) => {
    expect(refused(await call('/orders', as(token)))).toEqual([status, error]);
  });

  test('caches a denial with its message for the same token, and for no other token', async () => {
    const denied = await call('/orders', as('Bearer deny.1'));
    expect([...refused(denied), denied.body['message']]).toEqual([
      403,
      'FORBIDDEN_ERROR',
      expect.stringMatching(/^call \d+$/u) as string,
    ]);
    expect((await call('/orders', as('Bearer keep.3'))).status).toBe(200);
    expect((await call('/orders/7', as('Bearer deny.1'))).body).toEqual(denied.body);
    expect((await call('/orders', as('Bearer deny.2'))).body['message']).not.toBe(denied.body['message']);
  });

  test('a kept policy for one method refuses the next one, as on AWS', async () => {
    expect((await call('/orders/latest', as('Bearer narrow'))).status).toBe(200);
    expect(refused(await call('/orders/other', as('Bearer narrow')))).toEqual([403, 'FORBIDDEN_ERROR']);
  });
});

describe('responses of the gateway itself', () => {
  test.each([
    ['a request of an unknown path', 'GET', '/nowhere'],
    ['a request with a method that no route has', 'DELETE', '/orders'],
    ['a request of a path below a route', 'GET', '/open/x'],
  ])('%s gets 404 when the caller has no token', async (_what, method, path) => {
    expect(refused(await call(path, { method }))).toEqual([404, 'NOT_FOUND']);
  });

  test.each(['throw', 'object-body', 'nothing', 'bad-header'])(
    'a request is answered with 502 when its function has the injected fault %s',
    async (fault) => {
      expect(refused(await call(`/open?fault=${fault}`))).toEqual([502, 'INTERNAL_ERROR']);
    },
  );

  test('an integration that takes longer than its limit is answered with 504', async () => {
    expect(refused(await call('/hasty?fault=slow'))).toEqual([504, 'INTERNAL_ERROR']);
  });

  test.each(['/open?a=%zz', '/%c3%28', '/files/%E0%A4%A'])('a request of %s is answered with 400', async (path) => {
    expect(refused(await call(path))).toEqual([400, 'INVALID_REQUEST']);
  });

  test.each([
    ['more than the 10 MB of the gateway', 11],
    ['more than the 6 MB of an event', 8],
  ])('a request with a body of %s is refused with 413', async (_what, megabytes) => {
    const body = 'x'.repeat(megabytes * 1024 * 1024);
    expect(refused(await call('/open', { method: 'POST', body }))).toEqual([413, 'INVALID_REQUEST']);
  });

  test.each([
    ['a line that is not HTTP', 'hello\r\n\r\n'],
    ['a header with a control character in its name', 'GET /open HTTP/1.1\r\nhost: x\r\nbro ken\x01: y\r\n\r\n'],
    ['a CONNECT request', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n'],
    ['a malformed chunk', 'POST /open HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    [
      'a request with two Content-Length headers',
      'POST /open HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na',
    ],
  ])('%s is answered with 400 and the standard body', async (_what, bytes) => {
    const { head, body } = await raw(bytes);
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toMatchObject({ error: 'INVALID_REQUEST', details: [] });
  });
});

describe('functions that die', () => {
  test('a timeout is answered with 502, fails no other call, and the next call has a fresh function', async () => {
    for (let tries = 1; ; tries += 1) {
      await call('/open');
      const hanging = call('/open?fault=hang');
      // Of 300 milliseconds: begins before the second of the other one is over, and ends after it.
      await sleep(850);
      const beside = await call('/open?fault=slow');
      expect(refused(await hanging)).toEqual([502, 'INTERNAL_ERROR']);
      expect(beside.status).toBe(200);
      // On a busy machine it can begin late, in the fresh function: then it says nothing about the other one.
      if (beside.body['calls'] === 1 && tries < 10) continue;
      expect((await call('/open')).body['calls']).toBe(1);
      break;
    }
  });

  test.each(['exit', 'reject'])(
    'a crash by %s fails the calls in flight, and the next call gets a new function',
    async (fault) => {
      await call('/open');
      const beside = call('/open?fault=slow');
      const crashed = call(`/open?fault=${fault}`);
      expect(refused(await crashed)).toEqual([502, 'INTERNAL_ERROR']);
      expect(refused(await beside)).toEqual([502, 'INTERNAL_ERROR']);
      expect((await call('/open')).body['calls']).toBe(1);
    },
  );
});
