import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBuckets } from '#cdk-local/local-aws/buckets.ts';
import { resolve } from '#cdk-local/template/intrinsics.ts';
import { clientOptions, openServices } from './serve.ts';
import { readerOf, sqs, templateOf } from './templates.ts';

const resources = {
  Locked: ['AWS::S3::Bucket', { ObjectLockEnabled: true }],
  Versions: ['AWS::S3::Bucket', { VersioningConfiguration: { Status: 'Enabled' } }],
  Plain: ['AWS::S3::Bucket', { BucketName: 'plain-files' }],
} as const;
const services = openServices();
let endpoint: string;
let s3: S3Client;

async function start(fresh = false): Promise<S3Client> {
  endpoint = await services.start((folder) => createBuckets(readerOf(resources), folder), fresh);
  return new S3Client({ ...clientOptions, endpoint, forcePathStyle: true });
}

beforeAll(async () => {
  s3 = await start();
});
afterAll(services.stop);

/** The value that a function has of a template's reference. */
const inFunction = (value: unknown): string =>
  resolve({ template: templateOf(resources), sqs, stack: 'Service' }, value) as string;
const Bucket = inFunction({ Ref: 'Locked' });
const plain = inFunction({ Ref: 'Plain' });
const fileOf = (bucket: string, key: string): string => join(services.path, 'buckets', bucket, key);

const put = (Key: string, Body: string | Buffer | Readable, options: Partial<PutObjectCommandInput> = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: '*', ...options }));
async function get(Key: string, from = Bucket, client = s3): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: from, Key }));
  return Body?.transformToString();
}
const refusal = (name: string, httpStatusCode: number): object => ({ name, $metadata: { httpStatusCode } });

/** Sends a request as it is, and returns status and body of the response. */
async function send(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  const sent = request(`${endpoint}/`, { method, path: `${new URL(endpoint).pathname}${path}`, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

describe('an object', () => {
  test('has its bytes when they were a text, bytes or a file', async () => {
    const source = join(services.path, 'source.txt');
    writeFileSync(source, 'São 3 MB: '.repeat(300_000));
    await put('a text/já.json', '{"é":1}');
    await put('bytes', Buffer.from([0, 13, 10, 255]));
    await put('large', readFileSync(source));
    await put('stream', createReadStream(source));
    await put('checksum', 'summed', { ChecksumAlgorithm: 'SHA256' });
    await put('length', Readable.from(['with ', 'a length']), { ContentLength: 13 });
    expect(await get('a text/já.json')).toBe('{"é":1}');
    expect(readFileSync(fileOf(Bucket, 'a text/já.json'), 'utf8')).toBe('{"é":1}');
    expect(readFileSync(fileOf(Bucket, 'bytes'))).toEqual(Buffer.from([0, 13, 10, 255]));
    for (const key of ['large', 'stream'])
      expect(readFileSync(fileOf(Bucket, key)).equals(readFileSync(source))).toBe(true);
    expect(await get('checksum')).toBe('summed');
    expect(await get('length')).toBe('with a length');
  });

  test('has the same tag when it is put, read and asked for', async () => {
    const ETag = `"${createHash('md5').update('tagged').digest('hex')}"`;
    expect(await put('tagged', 'tagged')).toMatchObject({ ETag });
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'tagged' }))).toMatchObject({ ETag, ContentLength: 6 });
    expect(await s3.send(new GetObjectCommand({ Bucket, Key: 'tagged' }))).toMatchObject({ ETag });
  });

  test('accepts a retention when the bucket locks: nothing here replaces or deletes it', async () => {
    const retention = { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: new Date('2040-01-01') } as const;
    await put('retained', 'kept', retention);
    const DeleteIt = new DeleteObjectCommand({ Bucket, Key: 'retained' });
    await expect(s3.send(DeleteIt)).rejects.toMatchObject(refusal('NotImplemented', 501));
    expect(await get('retained')).toBe('kept');
  });

  test('is put once when puts at the same time must find no object', async () => {
    const puts = await Promise.allSettled(['1', '2', '3', '4', '5'].map((body) => put('once', body)));
    const refused = puts.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject(refusal('PreconditionFailed', 412));
    expect(await get('once')).toBe(`${puts.findIndex(({ status }) => status === 'fulfilled') + 1}`);
  });

  test.each(['Locked', 'Versions'])('keeps its bytes when it is put again in the bucket %s', async (id) => {
    const Bucket = inFunction({ Ref: id });
    await put('version', 'first', { Bucket });
    const again = put('version', 'second', { Bucket, IfNoneMatch: undefined });
    await expect(again).rejects.toMatchObject({
      ...refusal('NotImplemented', 501),
      message: 'The local environment does not support a second version of an object.',
    });
    expect(await get('version', Bucket)).toBe('first');
  });

  test('is replaced when the bucket has no versions', async () => {
    const options = { Bucket: plain, IfNoneMatch: undefined };
    await put('file', 'first', options);
    await put('file', 'second', options);
    expect(await get('file', plain)).toBe('second');
    await expect(get('file')).rejects.toMatchObject(refusal('NoSuchKey', 404));
  });

  test('is in a file that only its user reads, stays after a restart, and is gone after a fresh start', async () => {
    await put('kept', 'bytes');
    expect((statSync(fileOf(Bucket, 'kept')).mode & 0o777).toString(8)).toBe('600');
    const unfinished = join(services.path, 'buckets/.unfinished');
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, 'of-a-killed-run'), '');
    s3 = await start();
    expect(await get('kept')).toBe('bytes');
    expect(readdirSync(join(services.path, 'buckets')).toSorted()).toEqual([Bucket, 'Service-Versions', plain]);
    s3 = await start(true);
    await expect(get('kept')).rejects.toMatchObject(refusal('NoSuchKey', 404));
  });
});

describe('an upload', () => {
  const put = (headers: Record<string, string>, body: string, key = 'upload') =>
    send('PUT', `/${Bucket}/${key}`, headers, body);
  const inChunks = (length: number) => ({
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': `${length}`,
    'x-amz-trailer': 'x-amz-checksum-crc32',
  });
  // The CRC32 of "abc".
  const trailer = 'x-amz-checksum-crc32:NSRBwg==\r\n\r\n';

  test.each([
    ['BadDigest', { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'abc'],
    ['BadDigest', { 'x-amz-checksum-sha256': 'AAAAAA==' }, 'abc'],
    ['BadDigest', { 'content-md5': 'AAAAAA==' }, 'abc'],
    ['BadDigest', inChunks(3), `3\r\nabd\r\n0\r\n${trailer}`],
    ['IncompleteBody', inChunks(3), `3\r\nabc\r\n0\r\n\r\n`],
    ['IncompleteBody', inChunks(3), '3\r\nabc\r\n'],
    ['IncompleteBody', inChunks(3), '9\r\nabc\r\n'],
    ['IncompleteBody', inChunks(3), `2\r\nabc\r\n0\r\n${trailer}`],
    ['IncompleteBody', inChunks(4), `3\r\nabc\r\n0\r\n${trailer}`],
    ['IncompleteBody', inChunks(3), 'abc'],
    ['MissingContentLength', { 'content-encoding': 'aws-chunked' }, '0\r\n\r\n'],
    ['NotImplemented', { 'content-encoding': 'gzip' }, 'abc'],
    ['NotImplemented', { 'x-amz-checksum-crc32c': 'AAAAAA==' }, 'abc'],
    ['NotImplemented', { 'x-amz-trailer': 'x-amz-checksum-crc64nvme' }, 'abc'],
    ['NotImplemented', { 'x-amz-meta-colour': 'red' }, 'abc'],
    ['NotImplemented', { 'if-none-match': '"a tag"' }, 'abc'],
    ['NotImplemented', { 'if-match': '"a tag"' }, 'abc'],
  ])('is refused as %s and leaves no file when it has %j and %j', async (code, headers, body) => {
    expect((await put(headers as Record<string, string>, body)).body).toContain(`<Error><Code>${code}</Code>`);
    expect(readdirSync(join(services.path, 'buckets', Bucket))).not.toContain('upload');
  });

  test('is joined when it has chunks, with or without signatures', async () => {
    const chunks = `1;chunk-signature=00\r\na\r\n2\r\nbc\r\n0\r\n${trailer}`;
    expect(await put(inChunks(3), chunks, 'joined')).toMatchObject({ status: 200 });
    expect(await get('joined')).toBe('abc');
  });
});

describe('a key', () => {
  test.each(['../out', 'a/../../out', '..', '.', 'a//b', '/a', 'a/', 'a\0b', 'x'.repeat(256)])(
    'is refused when it is %j',
    async (key) => {
      const encoded = [encodeURIComponent(key), key.split('/').map(encodeURIComponent).join('/')];
      for (const path of encoded)
        expect(await send('PUT', `/plain-files/${path}`, {}, 'x')).toMatchObject({ status: 501 });
      expect(readdirSync(services.path)).not.toContain('out');
      expect(readdirSync(join(services.path, 'buckets'))).not.toContain('out');
    },
  );

  test('is refused when another key is its folder, or it is the folder of another key', async () => {
    await put('deep/key', 'x', { Bucket: plain });
    for (const key of ['deep', 'deep/key/deeper', 'deep/key/deeper/still'])
      await expect(put(key, 'y', { Bucket: plain })).rejects.toMatchObject(refusal('NotImplemented', 501));
    for (const key of ['deep', 'deep/key/deeper'])
      await expect(get(key, plain)).rejects.toMatchObject(refusal('NoSuchKey', 404));
    expect(readdirSync(join(services.path, 'buckets/.unfinished'))).toEqual([]);
  });
});

describe('S3', () => {
  test('names a bucket by its name of the template, else by stack and id', () => {
    expect([Bucket, plain]).toEqual(['Service-Locked', 'plain-files']);
    expect(inFunction({ 'Fn::GetAtt': ['Plain', 'Arn'] })).toBe('arn:aws:s3:::plain-files');
  });

  test('has no object when bucket or key is unknown', async () => {
    await expect(get('absent')).rejects.toMatchObject(refusal('NoSuchKey', 404));
    await expect(get('absent', 'absent')).rejects.toMatchObject(refusal('NoSuchBucket', 404));
    expect(await send('GET', '/../signing-keys')).toMatchObject({ status: 404 });
    const head = new HeadObjectCommand({ Bucket, Key: 'absent' });
    await expect(s3.send(head)).rejects.toMatchObject(refusal('NotFound', 404));
  });

  test('refuses what it does not do, and a path that cannot be read', async () => {
    const list = new ListObjectsV2Command({ Bucket });
    await expect(s3.send(list)).rejects.toMatchObject(refusal('NotImplemented', 501));
    const part = new GetObjectCommand({ Bucket, Key: 'any', Range: 'bytes=0-1' });
    await expect(s3.send(part)).rejects.toMatchObject(refusal('NotImplemented', 501));
    const version = new GetObjectCommand({ Bucket, Key: 'any', VersionId: '1' });
    await expect(s3.send(version)).rejects.toMatchObject(refusal('NotImplemented', 501));
    expect(await send('GET', `/${Bucket}/%E0%A4%A`)).toMatchObject({ status: 400 });
  });

  test.each([
    [{ BucketName: '../elsewhere' }, 'no name of a bucket'],
    [{ NotificationConfiguration: {} }, 'notifications of a bucket'],
    [{ ReplicationConfiguration: {} }, 'replication of a bucket'],
  ])('stops the start when a bucket has %j', async (properties, message) => {
    const read = readerOf({ Files: ['AWS::S3::Bucket', properties] });
    await expect(services.start((folder) => createBuckets(read, folder))).rejects.toThrow(message);
  });
});
