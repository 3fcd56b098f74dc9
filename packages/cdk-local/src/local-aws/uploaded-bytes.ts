import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { notLocal, S3Refusal } from './s3-refusal.ts';

/** Checksums that a request may have, by header or trailer: each in base64. */
const checksums: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'content-md5': (bytes) => createHash('md5').update(bytes).digest(),
  'x-amz-checksum-crc32': (bytes) => {
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(bytes));
    return checksum;
  },
  'x-amz-checksum-sha256': (bytes) => createHash('sha256').update(bytes).digest(),
};

type Upload = { readonly bytes: Buffer; readonly trailers: Readonly<Record<string, string>> };

/**
 * Reads the object in the body of a PutObject. The AWS SDK sends a string or a buffer as it is, with its checksum in a
 * header, and a stream in chunks of its own (`aws-chunked`), with the checksum in a trailer.
 *
 * @throws S3Refusal for incomplete chunks, and for bytes that do not have their checksum or their length.
 */
export function uploadedBytes(headers: IncomingHttpHeaders, body: Buffer): Buffer {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'aws-chunked') throw notLocal('content encodings');
  const trailer = headers['x-amz-trailer'];
  if (trailer !== undefined && !(String(trailer) in checksums)) throw notLocal(`the trailer ${String(trailer)}`);
  const { bytes, trailers } = encoding === undefined ? { bytes: body, trailers: {} } : readChunks(headers, body);
  if (trailer !== undefined && !(String(trailer) in trailers)) throw incomplete('There is no trailer.');
  for (const [name, checksumOf] of Object.entries(checksums))
    for (const sent of [headers[name], trailers[name]])
      if (sent !== undefined && sent !== checksumOf(bytes).toString('base64'))
        throw new S3Refusal(400, 'BadDigest', `The bytes do not have the checksum of ${name}.`);
  return bytes;
}

/** Reads chunks ("Transferring payload in multiple chunks" of the S3 API reference). Signatures are not verified. */
function readChunks(headers: IncomingHttpHeaders, body: Buffer): Upload {
  const length = headers['x-amz-decoded-content-length'];
  if (length === undefined)
    throw new S3Refusal(411, 'MissingContentLength', 'An upload in chunks needs the length of the object.');
  const chunks: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = body.indexOf('\r\n', at);
    if (end < 0) throw incomplete('A line of the chunks does not end.');
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const [, size] = /^([0-9a-f]{1,8})(?:;|$)/iu.exec(line()) ?? [];
    if (size === undefined) throw incomplete('A chunk has no size.');
    const end = at + Number.parseInt(size, 16);
    if (end === at) break;
    chunks.push(body.subarray(at, end));
    at = end;
    if (line() !== '') throw incomplete('A chunk has another size.');
  }
  const bytes = Buffer.concat(chunks);
  if (String(bytes.length) !== length) throw incomplete('The object has another length.');
  return { bytes, trailers: readTrailers(body.toString('latin1', at)) };
}

function readTrailers(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\r\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end).toLowerCase(), line.slice(end + 1).trim()];
    }),
  );
}

function incomplete(message: string): S3Refusal {
  return new S3Refusal(400, 'IncompleteBody', message);
}
