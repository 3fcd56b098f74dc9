/** Issues of a field: the closed list that the API documents. */
export const issues = [
  'REQUIRED',
  'UNKNOWN_FIELD',
  'INVALID_TYPE',
  'INVALID_FORMAT',
  'INVALID_VALUE',
  'TOO_SHORT',
  'TOO_LONG',
  'OUT_OF_RANGE',
  'MUTUALLY_EXCLUSIVE',
  'MALFORMED_JSON',
  'ALREADY_EXISTS',
  'IDEMPOTENCY_KEY_REUSED',
  'TRANSITION_NOT_ALLOWED',
  'INSUFFICIENT_BALANCE',
  'LIMIT_EXCEEDED',
  'EXPIRED',
  'OWNER_MISMATCH',
  'NOT_PAYABLE',
  'OUTSIDE_WINDOW',
  'WRONG_CODE',
] as const;
export type Issue = (typeof issues)[number];

/** `field` is a dotted path of the body, a header or query name, or `id`. */
export type Detail = { readonly field: string; readonly issue: Issue; readonly description: string };

/**
 * `badRequest`: the request itself is invalid; `state`: a resource's state forbids it; `missing`: there is no such
 * resource.
 */
export type RequestErrorKind = 'badRequest' | 'state' | 'missing' | 'forbidden' | 'unauthorized' | 'throttled';

/** The error of a request that is not carried out. Nothing was written. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly kind: RequestErrorKind;
  readonly details: readonly Detail[];
  /** Seconds after which the same request may be carried out. */
  readonly retryAfterSeconds?: number;
  /** A replay of the first response. */
  readonly replayed: boolean = false;

  constructor(kind: RequestErrorKind, message: string, details: readonly Detail[] = [], retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.details = details;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Marks an error as the replay of the error of an earlier request with the same idempotency key. */
export function replayedError(error: RequestError): RequestError {
  return Object.assign(error, { replayed: true });
}

/** Checks that there are no issues. @throws RequestError 400 with all issues */
export function requireNoDetails(details: readonly Detail[]): void {
  if (details.length === 0) return;
  const fields = details.length === 1 ? 'field' : 'fields';
  throw new RequestError('badRequest', `The request has ${details.length} faulty ${fields}.`, details);
}

/** Returns the error of an invalid request: 400. */
export function badRequest(field: string, issue: Issue, description: string): RequestError {
  return new RequestError('badRequest', description, [{ field, issue, description }]);
}

/** Returns the error of a request that a resource's state forbids: 409 (422 for an idempotency key used again). */
export function forbiddenByState(field: string, issue: Issue, description: string): RequestError {
  return new RequestError('state', description, [{ field, issue, description }]);
}

/** Returns the error of a resource that is unknown or another company's: 404. */
export function notFound(resourceName: string): RequestError {
  return new RequestError('missing', `${resourceName} not found.`);
}

/** 429 with the seconds to wait. */
export function throttled(message: string, retryAfterSeconds: number): RequestError {
  return new RequestError('throttled', message, [], retryAfterSeconds);
}

/** Returns the error of a transition that is not in the resource's table. It names the allowed transitions. */
export function transitionNotAllowed(status: string, wanted: string, allowed: readonly string[]): RequestError {
  const moves = allowed.length === 0 ? 'no move is allowed from it' : `allowed from it: ${allowed.join(', ')}`;
  const description = `${wanted} is not allowed: the status is ${status}; ${moves}.`;
  return forbiddenByState('status', 'TRANSITION_NOT_ALLOWED', description);
}
