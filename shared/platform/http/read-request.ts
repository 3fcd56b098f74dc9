import { createHash } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import canonicalize from 'canonicalize';
import type * as z from 'zod';
import type { Contract, RequestOf } from '#shared/contract/contract.ts';
import { longestKey } from '#shared/contract/contract.ts';
import type { Detail } from '#shared/core/errors.ts';
import { requireNoDetails } from '#shared/core/errors.ts';
import { isUuid } from '#shared/core/identifiers.ts';
import { headerValues, readBody, isReplaced } from './read-body.ts';
import type { ReadBody } from './read-body.ts';
import { acceptedFormat } from './accepted-format.ts';
import type { RequestPart } from './details.ts';
import { detailsOf } from './details.ts';

/** Part of every fingerprint: raised only if the normalisation changes, so that old keys keep their meaning. */
const fingerprintVersion = 1;

type Parsed<C extends Contract> = Omit<RequestOf<C>, 'caller' | 'requestId'>;
type FindContextDetails = (body: unknown) => readonly Detail[];

/**
 * Returns the parts of a request by its contract.
 * @throws RequestError 400 with all issues of body, query, path and headers; HttpError 413, 415.
 */
export function readRequest<C extends Contract>(
  contract: C,
  event: APIGatewayProxyEvent,
  findContextDetails: FindContextDetails = () => [],
): Parsed<C> {
  const details: Detail[] = [];
  const keep = (part: ReadPart): unknown => {
    details.push(...part.details);
    return part.value;
  };
  const idempotencyKey = idempotencyKeyOf(contract, event, details);
  const params = keep(readPath(contract, event));
  const query = keep(readQuery(contract, event));
  const json: ReadBody = contract.method === 'GET' ? { read: true, value: {} } : readBody(event, details);
  const body = json.read ? keep(readPart(contract.body, json.value, 'body')) : undefined;
  const parts = { params, query, body };
  // A text with a broken surrogate cannot be signed or stored. Contracts report the field; this check is for the rest.
  if (details.length === 0 && !wellFormed(parts))
    details.push({ field: 'body', issue: 'INVALID_FORMAT', description: 'Holds a text with a broken surrogate.' });
  const contextDetails = json.read ? withoutKnown(findContextDetails(json.value), details) : [];
  // A request with an idempotency key may repeat one that was valid at first: then the operation checks contextDetails.
  if (details.length > 0 || idempotencyKey === undefined) requireNoDetails([...details, ...contextDetails]);
  // The contract's schemas parsed these parts: they have the types that the contract promises.
  return {
    idempotencyKey,
    params,
    query,
    body,
    contextDetails,
    fingerprint: fingerprint(contract, parts),
  } as Parsed<C>;
}

/** Returns the issues of fields that have no issue yet. */
function withoutKnown(found: readonly Detail[], details: readonly Detail[]): readonly Detail[] {
  return found.filter(({ field }) => !details.some((known) => known.field === field));
}

function idempotencyKeyOf(
  { idempotencyKey: rule }: Contract,
  event: APIGatewayProxyEvent,
  details: Detail[],
): string | undefined {
  const field = 'idempotency-key';
  if (rule === 'none') return undefined;
  const [key, ...others] = headerValues(event, field);
  if (key === undefined) {
    if (rule !== 'optional')
      details.push({ field, issue: 'REQUIRED', description: 'The header is required; a UUID is recommended.' });
    return undefined;
  }
  // A proxy that takes another of the values would repeat the request under another key.
  if (others.length > 0) {
    details.push({ field, issue: 'INVALID_VALUE', description: 'The header must be sent once.' });
    return undefined;
  }
  // An empty key is a mistake: without a key a repetition could do everything twice.
  if (key === '') details.push({ field, issue: 'TOO_SHORT', description: 'Must be at least 1 character.' });
  else if (key.length > longestKey[rule])
    details.push({ field, issue: 'TOO_LONG', description: `Must be at most ${longestKey[rule]} characters.` });
  else if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/u.test(key))
    details.push({ field, issue: 'INVALID_FORMAT', description: 'Must be printable ASCII.' });
  else if (rule === 'uuid' && !isUuid(key))
    details.push({ field, issue: 'INVALID_FORMAT', description: 'Must be a UUID.' });
  return key;
}

function wellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, inside]) => name.isWellFormed() && wellFormed(inside));
}

/** Canonical JSON (RFC 8785) of the parsed request: equal amounts written differently are the same request. */
function fingerprint({ operationId }: Contract, parts: { params: unknown; query: unknown; body: unknown }): string {
  const text = canonicalize({ version: fingerprintVersion, operationId, ...parts }) ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/** A parsed part of a request; `value` is undefined if there are issues. */
type ReadPart = { readonly value: unknown; readonly details: readonly Detail[] };

function readPart(schema: z.ZodType, input: unknown, part: RequestPart): ReadPart {
  const result = schema.safeParse(input, { reportInput: true });
  return result.success
    ? { value: result.data, details: [] }
    : { value: undefined, details: detailsOf(result.error, part) };
}

function readPath({ params }: Contract, { pathParameters }: APIGatewayProxyEvent): ReadPart {
  const read = readPart(params, pathParameters ?? {}, 'path');
  return { ...read, details: withLostBytes(read.details, Object.entries(pathParameters ?? {})) };
}

/**
 * Reads the query; `Accept` stands for a `format` that it does not have. A repeated parameter has only the issue of its
 * repetition.
 */
function readQuery(contract: Contract, event: APIGatewayProxyEvent): ReadPart {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {}).map(
    ([name, values]) => [name, values ?? []] as const,
  );
  const first = Object.fromEntries(given.map(([name, [value = '']]) => [name, value]));
  const accepted = contract.files && acceptedFormat(headerValues(event, 'accept').join(), contract.files);
  const asked = accepted === undefined ? first : { format: accepted, ...first };
  const { value, details } = readPart(contract.query, asked, 'query');
  const unknown = new Set(details.filter(({ issue }) => issue === 'UNKNOWN_FIELD').map(({ field }) => field));
  const repeated = given
    .filter(([, values]) => values.length > 1)
    .map(([name]) => fieldOf(name))
    .filter((field) => !unknown.has(field));
  const once = details.filter(({ field }) => !repeated.includes(field));
  for (const field of repeated)
    once.push({ field, issue: 'UNKNOWN_FIELD', description: 'Is given more than once in the query: give it once.' });
  const parameters = Object.entries(first).map(([name, text]) => [fieldOf(name), text] as const);
  return { value, details: withLostBytes(once, parameters).map((detail) => withPlus(detail, parameters)) };
}

/** Adds to an issue how to send a plus, if the value has a blank: `+` in a query is decoded as a blank. */
function withPlus(detail: Detail, values: readonly (readonly [string, string])[]): Detail {
  const hasBlank = values.some(([field, text]) => field === detail.field && text.includes(' '));
  if (!hasBlank || detail.issue === 'UNKNOWN_FIELD') return detail;
  return { ...detail, description: `${detail.description} A + in a query is a blank: send a plus as %2B.` };
}

/** Returns the field; a parameter without a name (`?=1`) is an issue of the whole query. */
function fieldOf(name: string): string {
  return name || 'query';
}

/** Percent-encoded bytes outside UTF-8 arrive as U+FFFD. */
function withLostBytes(
  details: readonly Detail[],
  values: readonly (readonly [string, string | undefined])[],
): readonly Detail[] {
  const lost = values.filter(([name, text]) => isReplaced(text ?? '') && !details.some(({ field }) => field === name));
  return [
    ...details,
    ...lost.map(([field]): Detail => ({ field, issue: 'INVALID_FORMAT', description: 'Is not in UTF-8.' })),
  ];
}
