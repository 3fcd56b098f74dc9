import type { ErrorCode } from '../contracts/contract.ts';
import type { Detail, Issue, RefusalKind } from '../domain/refusal.ts';
import { Refusal } from '../domain/refusal.ts';

export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
export type ErrorBody = { readonly error: ErrorCode; readonly message: string; readonly details: readonly Detail[] };

const KINDS: Readonly<Record<RefusalKind, { status: number; error: ErrorCode }>> = {
  wrong: { status: 400, error: 'INVALID_REQUEST' },
  state: { status: 409, error: 'INVALID_REQUEST' },
  missing: { status: 404, error: 'NOT_FOUND' },
  forbidden: { status: 403, error: 'FORBIDDEN_ERROR' },
  unauthorized: { status: 401, error: 'UNAUTHORIZED' },
};

/** Issues that have a status of their own, whatever the kind of refusal. */
const STATUS_OF_ISSUE: Partial<Readonly<Record<Issue, number>>> = { IDEMPOTENCY_KEY_REUSED: 422 };

/** Errors of ours that a repetition of the same request may overcome, by name: the outcome may be unknown. */
const TEMPORARY = new Set(['StoreUnavailable', 'BankUnavailable']);
const RETRY_AFTER_SECONDS = '1';

/** Headers of every answer: nothing here may be cached or sniffed. */
const COMMON = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

export function jsonAnswer(
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { statusCode, headers: { ...COMMON, ...headers }, body: JSON.stringify(body) };
}

/** A refusal of the edge itself: too large, wrong media type. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * An error as its answer (section 7). Whatever is not a refusal is ours: its text stays inside. The simulation tools answer
 * a server failure with an array of strings.
 */
export function answerOfError(error: unknown, tool: boolean): HttpAnswer {
  if (error instanceof Refusal) {
    const { status, error: code } = KINDS[error.kind];
    const own = error.details.map(({ issue }) => STATUS_OF_ISSUE[issue]).find((known) => known !== undefined);
    return jsonAnswer(own ?? status, {
      error: code,
      message: error.message,
      details: error.details,
    } satisfies ErrorBody);
  }
  if (error instanceof HttpRefusal)
    return jsonAnswer(error.status, {
      error: 'INVALID_REQUEST',
      message: error.message,
      details: [],
    } satisfies ErrorBody);
  const temporary = error instanceof Error && TEMPORARY.has(error.name);
  const message = temporary
    ? 'The service cannot answer now. The same request with the same idempotency key is safe to repeat.'
    : 'The service failed. The failure has been recorded under the request id.';
  const body = tool ? [message] : ({ error: 'INTERNAL_ERROR', message, details: [] } satisfies ErrorBody);
  return jsonAnswer(temporary ? 503 : 500, body, temporary ? { 'retry-after': RETRY_AFTER_SECONDS } : {});
}
