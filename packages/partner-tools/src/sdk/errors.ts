/** Issue of one field of a request. */
export type FieldError = { readonly field: string; readonly issue: string; readonly description: string };

/** Failed request: the service's error response, or the reason that none came. */
export class BankingOrderError extends Error {
  override readonly name = 'BankingOrderError';
  /** HTTP status; undefined without a response: the outcome is unknown, and the same key is safe to send again. */
  readonly status: number | undefined;
  /** Error code, as `INVALID_REQUEST`; undefined if there is none. */
  readonly code: string | undefined;
  /** Every field with an issue. */
  readonly details: readonly FieldError[];
  /** Id of the request in the logs of both sides. */
  readonly requestId: string | undefined;
  constructor(message: string, fields: Omit<Partial<BankingOrderError>, keyof Error>, cause?: unknown) {
    super(message, { cause });
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
  }
}

type ErrorBody = { readonly error?: unknown; readonly message?: unknown; readonly details?: unknown };

/**
 * Returns the error of a failed call.
 *
 * @param thrown Body of the response, or the error if there was no response. The error of an aborted call is returned
 * unchanged.
 */
export function errorOf(thrown: unknown, response: Pick<Response, 'status' | 'headers'> | undefined): Error {
  if (thrown instanceof Error && thrown.name === 'AbortError') return thrown;
  if (response === undefined) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return new BankingOrderError(`No response: ${why}`, {}, thrown);
  }
  const { status, headers } = response;
  const { error, message, details } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ErrorBody;
  // The body of a simulation tool's own failure is a list of texts.
  const messages = Array.isArray(thrown) ? thrown.join(' ') : undefined;
  const text = messages ?? (typeof message === 'string' ? message : 'The response is not an error of the service.');
  const requestId = headers.get('x-request-id');
  return new BankingOrderError(`${status}${typeof error === 'string' ? ` ${error}` : ''}: ${text}`, {
    status,
    ...(typeof error === 'string' && { code: error }),
    ...(Array.isArray(details) && { details: details as readonly FieldError[] }),
    ...(requestId !== null && { requestId }),
  });
}
