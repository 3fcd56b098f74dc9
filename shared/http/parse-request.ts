import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import canonicalize from 'canonicalize';
import type { Contract, RequestOf } from '../contracts/contract.ts';
import { parseJson } from '../contracts/json.ts';
import type { Detail } from '../domain/refusal.ts';
import { Refusal } from '../domain/refusal.ts';
import { isUuid } from '../domain/identifiers.ts';
import { HttpRefusal } from './answers.ts';
import { detailsOf } from './faults.ts';

export const MAX_BODY_BYTES = 64 * 1024;
/** Part of every fingerprint: raised only if the normalisation below changes, so that old keys keep their meaning. */
const FINGERPRINT_VERSION = 1;

type Parsed<C extends Contract> = Omit<RequestOf<C>, 'caller' | 'requestId'>;
type Headers = Readonly<Record<string, string | undefined>>;

/** A header by its lower-case name. */
export function header(headers: Headers | null, name: string): string | undefined {
  return Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The parts of a request by its contract. Refuses with every faulty field of body, query, path and headers at once. */
export function parseRequest<C extends Contract>(contract: C, event: APIGatewayProxyEvent): Parsed<C> {
  const faults: Detail[] = [];
  const part = (schema: Contract['body'], input: unknown, whole: string): unknown => {
    const result = schema.safeParse(input, { reportInput: true });
    if (result.success) return result.data;
    faults.push(...detailsOf(result.error, whole));
    return undefined;
  };
  const idempotencyKey = idempotencyKeyOf(contract, header(event.headers, 'idempotency-key'), faults);
  const params = part(contract.params, event.pathParameters ?? {}, 'path');
  const query = part(contract.query, singleValues(event, faults), 'query');
  const json = bodyOf(contract, event, faults);
  const body = json.read ? part(contract.body, json.value, 'body') : undefined;
  const parts = { params, query, body };
  // Contracts name the field of such a text; this is the net under them. Nothing could compare, sign or store it.
  if (faults.length === 0 && !wellFormed(parts))
    faults.push({ field: 'body', issue: 'INVALID_FORMAT', description: 'Holds a text with a broken surrogate.' });
  if (faults.length > 0)
    throw new Refusal(
      'wrong',
      `The request has ${String(faults.length)} faulty ${faults.length === 1 ? 'field' : 'fields'}.`,
      faults,
    );
  return {
    idempotencyKey,
    params,
    query,
    body,
    fingerprint: fingerprint(contract, parts),
  } as Parsed<C>;
}

function idempotencyKeyOf(
  { idempotencyKey: rule }: Contract,
  key: string | undefined,
  faults: Detail[],
): string | undefined {
  const field = 'idempotency-key';
  if (rule === 'none') return undefined;
  if (key === undefined) {
    if (rule !== 'optional')
      faults.push({ field, issue: 'REQUIRED', description: 'The header is required; a UUID is recommended.' });
    return undefined;
  }
  // A sender of an empty key meant one: to carry on without would let a repetition do everything twice.
  if (key === '') faults.push({ field, issue: 'TOO_SHORT', description: 'Must be at least 1 character.' });
  else if (key.length > 64) faults.push({ field, issue: 'TOO_LONG', description: 'Must be at most 64 characters.' });
  else if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/u.test(key))
    faults.push({ field, issue: 'INVALID_FORMAT', description: 'Must be printable ASCII.' });
  else if (rule === 'uuid' && !isUuid(key))
    faults.push({ field, issue: 'INVALID_FORMAT', description: 'Must be a UUID.' });
  return key;
}

function singleValues(event: APIGatewayProxyEvent, faults: Detail[]): Record<string, string> {
  const values = Object.entries(event.multiValueQueryStringParameters ?? {});
  for (const [field, all] of values)
    if ((all ?? []).length > 1) faults.push({ field, issue: 'UNKNOWN_FIELD', description: 'Must be given once.' });
  return Object.fromEntries(values.map(([name, all]) => [name, all?.[0] ?? '']));
}

function bodyOf(
  { method }: Contract,
  event: APIGatewayProxyEvent,
  faults: Detail[],
): { read: boolean; value?: unknown } {
  if (method === 'GET') return { read: true, value: {} };
  const raw = event.body ?? '';
  const bytes = Buffer.from(raw, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.byteLength > MAX_BODY_BYTES)
    throw new HttpRefusal(413, `The body is larger than ${String(MAX_BODY_BYTES)} bytes.`);
  if (bytes.byteLength === 0) return { read: true, value: {} };
  const type = header(event.headers, 'content-type');
  if (type !== undefined && !/^application\/json\s*(;|$)/iu.test(type))
    throw new HttpRefusal(415, 'The content-type must be application/json.');
  try {
    return { read: true, value: parseJson(bytes.toString('utf8')) };
  } catch {
    faults.push({ field: 'body', issue: 'MALFORMED_JSON', description: 'The body is not valid JSON.' });
    return { read: false };
  }
}

function wellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inside]) => name.isWellFormed() && wellFormed(inside));
}

/** Canonical JSON (RFC 8785) of the parsed request: equal amounts written differently are the same request. */
function fingerprint({ operationId }: Contract, parts: { params: unknown; query: unknown; body: unknown }): string {
  const text = canonicalize({ version: FINGERPRINT_VERSION, operationId, ...parts }) ?? '';
  return createHash('sha256').update(text).digest('hex');
}
