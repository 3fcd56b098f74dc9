import type { Contract } from '#shared/contracts/contract.ts';
import { issues } from '#shared/domain/refusal.ts';
import { exampleOfError } from './error-examples.ts';
import type { ErrorStatus } from './error-meanings.ts';
import { errorStatusList, issueMeanings, statusMeanings } from './error-meanings.ts';
import type { Json, JsonObject } from './schemas.ts';

const codes = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN_ERROR',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
];

/** Components that every error answer refers to. */
export const errorSchemas: JsonObject = {
  Error: {
    type: 'object',
    description: 'Every answer that is not a success.',
    properties: {
      error: {
        type: 'string',
        enum: codes,
        description: 'What kind of error it is. `INVALID_REQUEST` goes with 400, 409, 413, 415 and 422.',
      },
      message: {
        type: 'string',
        description: 'What is wrong and what helps, for a person. Do not compare it: it may change.',
        examples: ['The request is invalid.'],
      },
      details: {
        type: 'array',
        description: 'Every faulty field; empty where no field is to blame.',
        items: { $ref: '#/components/schemas/ErrorDetail' },
      },
    },
    required: ['error', 'message', 'details'],
    additionalProperties: false,
  },
  ErrorDetail: {
    type: 'object',
    description: 'What is wrong with one field.',
    properties: {
      field: {
        type: 'string',
        description: 'Dotted path of a body field, name of a header or query parameter, or `id`.',
        examples: ['debtor.document.number'],
      },
      issue: {
        type: 'string',
        enum: issues,
        description: issues.map((issue) => `- \`${issue}\`: ${issueMeanings[issue].cause}`).join('\n'),
      },
      description: {
        type: 'string',
        description: 'The same for a person.',
        examples: ['Must be a valid CPF without mask.'],
      },
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
    description:
      "The caller's `x-request-id` if it is a UUID, else a new one; it is in every log line. An answer that the gateway makes by itself has a new one, and the caller's in `x-caller-request-id`.",
    schema: { type: 'string' },
  },
  Challenge: {
    description:
      'What the token lacks (RFC 6750, 3): `Bearer realm="banking-order"`, with `error="invalid_token"` or `error="insufficient_scope"` where it is known.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which the same request may be repeated.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` when this is the first answer to the key again.',
    schema: { type: 'string', const: 'true' },
  },
};

export const requestIdHeader: JsonObject = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const retryAfter = new Set([429, 503, 504]);

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
function errorResponse(status: ErrorStatus, tool: boolean): JsonObject {
  const schema: Json = { $ref: `#/components/schemas/${tool && status >= 500 ? 'ToolFailure' : 'Error'}` };
  return {
    description: statusMeanings[status].cause,
    headers: {
      ...requestIdHeader,
      ...((status === 401 || status === 403) && { 'www-authenticate': { $ref: '#/components/headers/Challenge' } }),
      ...(retryAfter.has(status) && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: { 'application/json': { schema, example: exampleOfError(status, tool) } },
  };
}

/** Name of the shared component of an error answer. */
export function responseName(status: number, tool: boolean): string {
  return tool && status >= 500 ? `Tool${String(status)}` : `Error${String(status)}`;
}

/** Every error answer as a component. */
export const errorResponses: JsonObject = Object.fromEntries(
  [false, true].flatMap((tool) =>
    errorStatusList
      .filter((status) => !tool || status >= 500)
      .map((status) => [responseName(status, tool), errorResponse(status, tool)]),
  ),
);
