/** What can be wrong with one field of a request: the closed list that the API documents. */
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
 * `wrong`: the request by itself; `state`: the state of a resource forbids it; `missing`: there is no such resource.
 */
export type RefusalKind = 'wrong' | 'state' | 'missing' | 'forbidden' | 'unauthorized' | 'throttled';

/** A request that is not carried out, for a reason its sender can understand. Nothing was written. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly details: readonly Detail[];
  /** Seconds after which the same request may be carried out. */
  readonly retryAfterSeconds?: number;
  /** The first answer again, for a key that was used before. */
  readonly replayed: boolean = false;

  constructor(kind: RefusalKind, message: string, details: readonly Detail[] = [], retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.details = details;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A refusal that a key was answered with before: what it said was written then. */
export function replayedRefusal(refusal: Refusal): Refusal {
  return Object.assign(refusal, { replayed: true });
}

/** Every fault of a request at once: 400. */
function faulty(details: readonly Detail[]): Refusal {
  const fields = details.length === 1 ? 'field' : 'fields';
  return new Refusal('wrong', `The request has ${String(details.length)} faulty ${fields}.`, details);
}

/** @throws Refusal when there are any. */
export function refuseFaults(details: readonly Detail[]): void {
  if (details.length > 0) throw faulty(details);
}

/** The request is wrong by itself: 400. */
export function wrong(field: string, issue: Issue, description: string): Refusal {
  return new Refusal('wrong', description, [{ field, issue, description }]);
}

/** The request is well formed, but the state of a resource forbids it: 409 (422 for a key used again). */
export function forbiddenByState(field: string, issue: Issue, description: string): Refusal {
  return new Refusal('state', description, [{ field, issue, description }]);
}

/** Unknown, or another company's: the two look the same. */
export function notFound(what: string): Refusal {
  return new Refusal('missing', `${what} not found.`);
}

/** Too many requests of one company: 429, with the seconds after which another one is taken. */
export function throttled(message: string, retryAfterSeconds: number): Refusal {
  return new Refusal('throttled', message, [], retryAfterSeconds);
}

/** A move that is not in the resource's table, or on a final state; names what would be allowed. */
export function transitionNotAllowed(status: string, wanted: string, allowed: readonly string[]): Refusal {
  const moves = allowed.length === 0 ? 'no move is allowed from it' : `allowed from it: ${allowed.join(', ')}`;
  return forbiddenByState(
    'status',
    'TRANSITION_NOT_ALLOWED',
    `${wanted} is not allowed: the status is ${status}; ${moves}.`,
  );
}
