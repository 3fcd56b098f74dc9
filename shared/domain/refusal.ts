/** What can be wrong with one field of a request: the closed list that the API documents. */
export const ISSUES = [
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
export type Issue = (typeof ISSUES)[number];

/** `field` is a dotted path of the body, a header or query name, or `id`. */
export type Detail = { readonly field: string; readonly issue: Issue; readonly description: string };

/** `wrong`: the request by itself; `state`: the state of a resource forbids it; `missing`: there is no such resource. */
export type RefusalKind = 'wrong' | 'state' | 'missing' | 'forbidden' | 'unauthorized';

/** A request that is not carried out, for a reason its sender can understand. Nothing was written. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly details: readonly Detail[];

  constructor(kind: RefusalKind, message: string, details: readonly Detail[] = []) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
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

/** A move that is not in the resource's table, or on a final state; names what would be allowed. */
export function transitionNotAllowed(status: string, wanted: string, allowed: readonly string[]): Refusal {
  const moves = allowed.length === 0 ? 'no move is allowed from it' : `allowed from it: ${allowed.join(', ')}`;
  return forbiddenByState(
    'status',
    'TRANSITION_NOT_ALLOWED',
    `${wanted} is not allowed: the status is ${status}; ${moves}.`,
  );
}
