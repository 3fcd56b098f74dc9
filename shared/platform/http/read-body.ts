import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseJson, MalformedJson } from '#shared/contract/json.ts';
import type { Detail } from '#shared/core/errors.ts';
import { HttpError } from './responses.ts';

const maxBodyBytes = 64 * 1024;

/** The gateway replaces bytes outside UTF-8 by U+FFFD. */
const replaced = '\ufffd';
/** Byte order mark, which no JSON text begins with (RFC 8259, 8.1). */
const byteOrderMark = '\ufeff';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type ReadBody = { readonly read: true; readonly value: unknown } | { readonly read: false };

/**
 * The JSON of a body in UTF-8 (RFC 8259, 8.1); an empty body is `{}`, one without content type is JSON.
 * @throws HttpError 413 above 64 KiB, 415 for another media type or charset, and for a compressed body
 */
export function readBody(event: APIGatewayProxyEvent, details: Detail[]): ReadBody {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.byteLength > maxBodyBytes)
    throw new HttpError(413, `The body is larger than ${String(maxBodyBytes)} bytes.`);
  if (bytes.byteLength === 0) return { read: true, value: {} };
  const encoding = headerValues(event, 'content-encoding').join(', ').trim().toLowerCase();
  if (encoding !== '' && encoding !== 'identity')
    throw new HttpError(415, 'The body must not be compressed: send it without content-encoding.');
  const [type, ...otherTypes] = headerValues(event, 'content-type');
  if (otherTypes.length > 0)
    details.push({ field: 'content-type', issue: 'INVALID_VALUE', description: 'The header must be sent once.' });
  else if (type !== undefined) requireJson(type);
  try {
    return { read: true, value: parseJson(textOf(bytes)) };
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    details.push({ field: error.path || 'body', issue: 'MALFORMED_JSON', description: error.message });
    return { read: false };
  }
}

/** `application/json` has no parameters; `charset=utf-8` is accepted. */
function requireJson(type: string): void {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json') throw new HttpError(415, 'The content-type must be application/json.');
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset'));
  if (charsets.some((charset) => !/^charset\s*=\s*("utf-?8"|utf-?8)$/u.test(charset)))
    throw new HttpError(415, 'The body must be in UTF-8: send content-type application/json; charset=utf-8.');
}

/** U+FFFD means lost text, whether the gateway or the sender wrote it. */
function textOf(bytes: Buffer): string {
  let text = replaced;
  try {
    text = utf8.decode(bytes);
  } catch {
    // Invalid bytes are reported as replaced ones.
  }
  if (text.startsWith(byteOrderMark))
    throw new MalformedJson('', 'The body begins with a byte order mark (BOM): send it without.');
  if (!text.includes(replaced)) return text;
  throw new MalformedJson(
    '',
    'The body is not in UTF-8: it holds invalid bytes, or U+FFFD in place of characters that were lost.',
  );
}

export function isReplaced(text: string): boolean {
  return text.includes(replaced);
}

type Headers = Partial<Pick<APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>>;

/**
 * Returns all values of a header by its lower-case name. `headers` of a proxy event holds only the last value, and is
 * read only where `multiValueHeaders` does not have the header.
 */
export function headerValues({ multiValueHeaders, headers }: Headers, name: string): readonly string[] {
  const all = valueOf<readonly string[]>(multiValueHeaders, name).flat();
  return all.length > 0 ? all : valueOf(headers, name);
}

function valueOf<T>(headers: Readonly<Record<string, T | undefined>> | null | undefined, name: string): readonly T[] {
  return Object.entries(headers ?? {}).flatMap(([key, value]) =>
    key.toLowerCase() === name && value !== undefined ? [value] : [],
  );
}
