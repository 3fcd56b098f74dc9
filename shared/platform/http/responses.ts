import type { Contract, ErrorCode, FileResponse } from '#shared/contract/contract.ts';
import type { Detail, Issue, RequestErrorKind } from '#shared/core/errors.ts';
import { RequestError } from '#shared/core/errors.ts';
import { env } from '../env.ts';
import { helpLink } from './help-link.ts';

export type HttpResponse = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
type ErrorBody = { readonly error: ErrorCode; readonly message: string; readonly details: readonly Detail[] };

const kinds: Readonly<Record<RequestErrorKind, { status: number; error: ErrorCode }>> = {
  badRequest: { status: 400, error: 'INVALID_REQUEST' },
  state: { status: 409, error: 'INVALID_REQUEST' },
  missing: { status: 404, error: 'NOT_FOUND' },
  forbidden: { status: 403, error: 'FORBIDDEN_ERROR' },
  unauthorized: { status: 401, error: 'UNAUTHORIZED' },
  throttled: { status: 429, error: 'TOO_MANY_REQUESTS' },
};

/** Issues with a status of their own. */
const statusOfIssue: Partial<Readonly<Record<Issue, number>>> = { IDEMPOTENCY_KEY_REUSED: 422 };

/**
 * Names of errors that a repetition may overcome; the outcome may be unknown. `TimeoutError` comes from Middy, when a
 * function runs out of time.
 */
const temporaryErrors: ReadonlyMap<string, keyof typeof openings> = new Map([
  ['StoreUnavailable', 503],
  ['BankUnavailable', 503],
  ['SigningUnavailable', 503],
  ['TimeoutError', 504],
]);
const retryAfterSeconds = '1';

/** Headers of every response: no cache, no sniffing. */
const common = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** Marks a replay of the first response. */
export const replayedHeader = { 'idempotent-replayed': 'true' } as const;

export function jsonResponse(
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return { statusCode, headers: { ...common, ...headers }, body: JSON.stringify(body) };
}

/** A page is shown, and may load and run nothing (CSP, level 3). */
const pageHeaders = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" } as const;

/** A file to download, with a link to its next page (RFC 8288), or a page to show. */
export function fileResponse({ mediaType, name, text, next }: FileResponse['file']): HttpResponse {
  const isPage = mediaType.startsWith('text/html');
  return {
    statusCode: 200,
    headers: {
      ...common,
      ...(isPage && pageHeaders),
      'content-type': mediaType,
      'content-disposition': `${isPage ? 'inline' : 'attachment'}; filename="${name}"`,
      ...(next !== undefined && { link: `<${next}>; rel="next"` }),
    },
    body: text,
  };
}

/** An error of the HTTP layer itself: body too large, unsupported media type. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The parts of a request that the response to a failure depends on. */
export type FailedRequest = Pick<Contract, 'method' | 'idempotencyKey' | 'onceBy' | 'tool'> & {
  readonly hasKey: boolean;
};

/** Whether a repetition is safe, for a caller with an unknown outcome. */
function repetitionOf({ method, idempotencyKey: rule, onceBy, tool, hasKey }: FailedRequest): string {
  const safe = 'The same request is safe to repeat';
  if (rule !== 'none' && hasKey) return 'The same request with the same idempotency key is safe to repeat.';
  if (rule === 'required' || rule === 'uuid') return 'Nothing was carried out: the request has no idempotency key.';
  if (method === 'GET' || onceBy === 'STATE') return `${safe}.`;
  if (onceBy === 'EXTERNAL_ID')
    return `${safe}: its externalId is taken once. If the answer is then 409 on externalId, read what has it.`;
  if (tool === true) return 'The outcome may be unknown: read the resource before you repeat the request.';
  const again = 'The outcome may be unknown: the same request may do the same once more.';
  return rule === 'none' ? again : `${again} An idempotency key would make it safe to repeat.`;
}

/** The text of `repetitionOf` for any request: in the gateway's own responses and in the OpenAPI document. */
export const repetitionOfAny =
  'The outcome may be unknown: the same request with the same idempotency key is safe to repeat, and so is one with an externalId; else read first what became of it.';

/**
 * The response to an error (section 7). An error that is no refusal of the request is the service's own: its text is
 * not shown.
 */
export function responseToError(error: unknown, request: FailedRequest): HttpResponse {
  if (error instanceof RequestError) {
    const { status, error: code } = kinds[error.kind];
    const own = error.details.map(({ issue }) => statusOfIssue[issue]).find((known) => known !== undefined);
    const { message, details, retryAfterSeconds: seconds } = error;
    return errorJson(
      own ?? status,
      { error: code, message, details },
      {
        ...(seconds !== undefined && { 'retry-after': `${seconds}` }),
        ...(error.replayed && replayedHeader),
        ...(error.kind === 'unauthorized' && { 'www-authenticate': challenges.invalidToken }),
        ...(error.kind === 'forbidden' && { 'www-authenticate': challenges.otherToken }),
      },
    );
  }
  if (error instanceof HttpError) {
    const body: ErrorBody = { error: 'INVALID_REQUEST', message: error.message, details: [] };
    return errorJson(error.status, body);
  }
  if (error instanceof Error) {
    const temporary = temporaryErrors.get(error.name);
    if (temporary !== undefined) return unknownOutcome(temporary, request, retryAfterOf(error));
  }
  return failure(500, 'The service failed. The failure has been recorded under the request id.', request);
}

const openings = { 503: 'The service cannot answer now.', 504: 'The service did not answer in time.' } as const;

/** The response to a failure with an unknown outcome. */
export function unknownOutcome(
  status: keyof typeof openings,
  request: FailedRequest,
  retryAfter = retryAfterSeconds,
): HttpResponse {
  const message = `${openings[status]} ${repetitionOf(request)}`;
  return failure(status, message, request, { 'retry-after': retryAfter });
}

/** Returns when to repeat, if a bank that accepts no command now says so; else the default. */
function retryAfterOf(error: Error): string {
  return 'retryAfterSeconds' in error && typeof error.retryAfterSeconds === 'number'
    ? String(error.retryAfterSeconds)
    : retryAfterSeconds;
}

/** The simulation tools answer a server failure with an array of strings. */
function failure(
  status: number,
  message: string,
  { tool }: FailedRequest,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return errorJson(status, tool === true ? [message] : { error: 'INTERNAL_ERROR', message, details: [] }, headers);
}

/** An error with a link to the pages that explain it. */
function errorJson(
  status: number,
  body: ErrorBody | readonly string[],
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const details = 'details' in body ? body.details : [];
  return jsonResponse(status, body, { link: helpLink(env('ERROR_PAGES'), status, details), ...headers });
}

const scheme = 'Bearer realm="banking-order"';

/** `WWW-Authenticate` (RFC 6750, 3): without an error code where perhaps no token was sent. */
export const challenges = {
  noToken: scheme,
  invalidToken: `${scheme}, error="invalid_token"`,
  otherToken: `${scheme}, error="insufficient_scope"`,
} as const;
