import type { Contract } from '../../shared/contracts/contract.ts';
import { ISSUES } from '../../shared/domain/refusal.ts';
import type { Json, JsonObject } from './schemas.ts';

const CODES = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN_ERROR',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
];
const UNKNOWN_OUTCOME = 'The outcome may be unknown: the same request with the same idempotency key is safe to repeat.';

const ISSUE_MEANINGS: Readonly<Record<(typeof ISSUES)[number], string>> = {
  REQUIRED: 'the field is missing',
  UNKNOWN_FIELD: 'no such field, or a query parameter given twice',
  INVALID_TYPE: 'another JSON type is needed',
  INVALID_FORMAT: 'the text does not have the form of the field',
  INVALID_VALUE: 'not one of the allowed values; with 409: the state of the named resource is wrong',
  TOO_SHORT: 'too few characters or items',
  TOO_LONG: 'too many characters or items',
  OUT_OF_RANGE: 'the number or date is outside its range',
  MUTUALLY_EXCLUSIVE: 'only one of several fields may be sent',
  MALFORMED_JSON: 'the body is not JSON',
  ALREADY_EXISTS: '409: the value is taken',
  IDEMPOTENCY_KEY_REUSED: '422: the key was used for another request',
  TRANSITION_NOT_ALLOWED: '409: the status forbids the move; the description names the allowed ones',
  INSUFFICIENT_BALANCE: '409: the account has not enough money',
  LIMIT_EXCEEDED: '409: a limit of the account or of the service is reached',
  EXPIRED: '409: the resource has expired',
  OWNER_MISMATCH: '409: the key or QR code belongs to somebody else than the named receiver',
  NOT_PAYABLE: 'the QR code or key cannot be paid',
  OUTSIDE_WINDOW: '409: not at this time of the day or on this day',
  WRONG_CODE: '409: the confirmation code is wrong',
};

/** Components that every error answer refers to. */
export const errorSchemas: JsonObject = {
  Error: {
    type: 'object',
    description: 'Every answer that is not a success.',
    properties: {
      error: { type: 'string', enum: CODES },
      message: { type: 'string' },
      details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
    },
    required: ['error', 'message', 'details'],
    additionalProperties: false,
  },
  ErrorDetail: {
    type: 'object',
    properties: {
      field: {
        type: 'string',
        description: 'Dotted path of a body field, name of a header or query parameter, or `id`.',
      },
      issue: {
        type: 'string',
        enum: ISSUES,
        description: ISSUES.map((issue) => `- \`${issue}\`: ${ISSUE_MEANINGS[issue]}`).join('\n'),
      },
      description: { type: 'string' },
    },
    required: ['field', 'issue', 'description'],
    additionalProperties: false,
  },
  ToolFailure: {
    description: 'A server failure of a simulation tool: texts; from the edge of the service the usual body.',
    oneOf: [{ type: 'array', items: { type: 'string' } }, { $ref: '#/components/schemas/Error' }],
  },
};

/** Headers that answers carry. */
export const headers: JsonObject = {
  RequestId: {
    description: "The caller's `x-request-id` if it is a UUID, else a new one; it is in every log line.",
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which the same request may be repeated.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` when this is the first answer to the key again.',
    schema: { type: 'string', const: 'true' },
  },
};

export const requestIdHeader: JsonObject = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is wrong by itself; `details` names every faulty field.',
  401: 'The token is missing, malformed, expired, or of another issuer.',
  403: 'The token does not give access to this service.',
  404: 'There is no such resource; those of other companies look the same.',
  409: 'The request is well formed, but the state of a resource forbids it.',
  413: 'The body is larger than 64 KiB.',
  415: 'The body is not `application/json`.',
  422: 'The idempotency key was used for another request.',
  429: 'Too many requests.',
  500: 'The service failed.',
  503: `The service cannot answer now. ${UNKNOWN_OUTCOME}`,
  504: `The service did not answer in time. ${UNKNOWN_OUTCOME}`,
};
const RETRY_AFTER = new Set([429, 503, 504]);

/** The error answers that an endpoint can give, by what it takes and does. */
export function errorStatuses({ method, errors, idempotencyKey }: Contract): readonly number[] {
  const changes = method !== 'GET';
  return [
    400,
    401,
    403,
    ...(errors.includes('NOT_FOUND') ? [404] : []),
    ...(changes ? [409, 413, 415] : []),
    ...(idempotencyKey === 'none' ? [] : [422]),
    429,
    500,
    503,
    504,
  ];
}

/** One error answer; shared by all endpoints but for the tools' 5xx. */
export function errorResponse(status: number, tool: boolean): JsonObject {
  const schema: Json = { $ref: `#/components/schemas/${tool && status >= 500 ? 'ToolFailure' : 'Error'}` };
  return {
    description: MEANINGS[status] ?? 'Error.',
    headers: {
      ...requestIdHeader,
      ...(RETRY_AFTER.has(status) && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: { 'application/json': { schema } },
  };
}

/** Name of the shared component of an error answer. */
export function responseName(status: number, tool: boolean): string {
  return tool && status >= 500 ? `Tool${String(status)}` : `Error${String(status)}`;
}

/** Every error answer as a component. */
export const errorResponses: JsonObject = Object.fromEntries(
  [false, true].flatMap((tool) =>
    Object.keys(MEANINGS)
      .map(Number)
      .filter((status) => !tool || status >= 500)
      .map((status) => [responseName(status, tool), errorResponse(status, tool)]),
  ),
);
