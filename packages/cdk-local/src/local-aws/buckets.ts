import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { HttpResponse } from '../api/request.ts';
import type { DataFolder } from '../data-folder.ts';
import { LocalStartError } from '../template/local-template.ts';
import type { ReadResources } from '../template/resources.ts';
import { notRunLocally } from '../template/resources.ts';
import { notLocal, respondTo, S3Refusal } from './s3-refusal.ts';
import { serveAt } from './service-route.ts';
import { uploadedBytes } from './uploaded-bytes.ts';

/** Properties that decide how a bucket behaves; lifetimes, encryption, owners, public access and tags are ignored. */
const bucketShape = z.object({
  VersioningConfiguration: z.object({ Status: z.string() }).optional(),
  ObjectLockEnabled: z.boolean().default(false),
  NotificationConfiguration: notRunLocally('notifications of a bucket'),
  ReplicationConfiguration: notRunLocally('replication of a bucket'),
  WebsiteConfiguration: notRunLocally('websites of a bucket'),
});

/** A bucket with versions keeps each object that it ever had. */
type Bucket = { readonly folder: string; readonly keepsVersions: boolean };

type ObjectRequest = {
  readonly method: string;
  readonly bucket: Bucket;
  /** Path of the object's file. */
  readonly file: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Headers of S3 that are understood, or that change neither bytes nor conditions here. */
const knownHeaders =
  /^x-amz-(checksum-(crc32|mode|sha256)|content-sha256|date|decoded-content-length|sdk-checksum-algorithm|security-token|trailer|user-agent|object-lock-(mode|retain-until-date)|server-side-encryption(-aws-kms-key-id|-bucket-key-enabled)?)$/u;
const conditionalHeaders = /^(if-.*|range)$/u;

/**
 * S3 for the functions: `PutObject`, `GetObject` and `HeadObject` on the template's buckets (Amazon S3 API reference,
 * "Actions"), addressed by path. An object is a file in the folder: `buckets/<bucket>/<key>`.
 *
 * @throws LocalStartError for a bucket whose name is no name of a folder, or with a property that is not supported.
 */
export function createBuckets(read: ReadResources, folder: DataFolder) {
  const root = folder.file('buckets');
  // A killed run may have left files that it had not finished.
  rmSync(unfinishedIn(root), { recursive: true, force: true });
  const buckets = new Map(
    read('AWS::S3::Bucket', bucketShape).map(({ name, title, properties }) => {
      if (!/^[A-Za-z0-9][A-Za-z0-9.-]{1,63}$/u.test(name))
        throw new LocalStartError(`${title}: ${name} is no name of a bucket.`);
      const { VersioningConfiguration: versioning, ObjectLockEnabled: isLocked } = properties;
      const bucket = { folder: join(root, name), keepsVersions: isLocked || versioning?.Status === 'Enabled' };
      mkdirSync(bucket.folder, { recursive: true, mode: 0o700 });
      return [name, bucket];
    }),
  );
  return serveAt('s3', ({ method, target, headers, body }) => {
    try {
      const { bucket, file } = findObject(buckets, target);
      return respond({ method, bucket, file, headers, body });
    } catch (error) {
      if (error instanceof S3Refusal) return respondTo(error);
      throw error;
    }
  });
}

/** Folder of files that are being written, beside the buckets: no bucket has this name. */
function unfinishedIn(root: string): string {
  return join(root, '.unfinished');
}

/** Finds bucket and file of a request's target: `/<bucket>/<key>?x-id=<operation>`, percent-encoded. */
function findObject(buckets: ReadonlyMap<string, Bucket>, target: string) {
  const [path = '', query] = target.split('?', 2);
  const [, name = '', ...encoded] = path.split('/');
  const bucket = buckets.get(decode(name));
  if (bucket === undefined) throw new S3Refusal(404, 'NoSuchBucket', 'There is no such bucket.');
  if (query !== undefined && !/^x-id=[A-Za-z]+$/u.test(query)) throw notLocal('this operation');
  return { bucket, file: join(bucket.folder, ...partsOf(decode(encoded.join('/')))) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Refusal(400, 'InvalidURI', 'The path is not percent-encoded.');
  }
}

/** Splits a key into names of folders and a file, which cannot lead out of the bucket's folder. */
function partsOf(key: string): readonly string[] {
  if (key === '') throw notLocal('operations on a bucket');
  const parts = key.split('/');
  const isName = (part: string): boolean => !['', '.', '..'].includes(part) && Buffer.byteLength(part) <= 255;
  if (key.includes('\0') || Buffer.byteLength(key) > 1024 || !parts.every(isName))
    throw notLocal('a key whose parts are no names of files');
  return parts;
}

function respond(request: ObjectRequest): HttpResponse {
  const { method, headers } = request;
  const isPut = method === 'PUT';
  if (!isPut && method !== 'GET' && method !== 'HEAD') throw notLocal('this operation');
  const odd = Object.keys(headers).find((name) => {
    if (isPut && name === 'if-none-match') return headers[name] !== '*';
    return conditionalHeaders.test(name) || (name.startsWith('x-amz-') && !knownHeaders.test(name));
  });
  if (odd !== undefined) throw notLocal(`this header: ${odd}`);
  return isPut ? putObject(request) : getObject(request);
}

function getObject({ file }: ObjectRequest): HttpResponse {
  if (!isFile(file)) throw new S3Refusal(404, 'NoSuchKey', 'There is no such object.');
  const body = readFileSync(file);
  return { status: 200, headers: { 'Content-Type': 'application/octet-stream', ETag: tagOf(body) }, body };
}

/** Writes the whole object or, after a crash, nothing. No other request comes between the check and the write. */
function putObject({ bucket, file, headers, body }: ObjectRequest): HttpResponse {
  const bytes = uploadedBytes(headers, body);
  if (isFile(file)) {
    if (headers['if-none-match'] === '*') throw new S3Refusal(412, 'PreconditionFailed', 'The object exists.');
    if (bucket.keepsVersions) throw notLocal('a second version of an object');
  }
  const unfinished = unfinishedIn(dirname(bucket.folder));
  const written = join(unfinished, randomUUID());
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(written, bytes, { mode: 0o600 });
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    renameSync(written, file);
  } catch (error) {
    rmSync(written);
    if (!isTaken(error)) throw error;
    throw notLocal('a key that is also the folder of another key');
  }
  return { status: 200, headers: { ETag: tagOf(bytes) }, body: Buffer.alloc(0) };
}

/** Whether a name that is to be a folder is a file, or the other way round. */
function isTaken(error: unknown): boolean {
  return ['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}
