import type { Contract } from '#shared/contract/contract.ts';
import { issues } from '#shared/core/errors.ts';
import { dependsOnOperation, exampleOfError, examplesOf } from './recorded-errors.ts';
import type { TokenError } from '#shared/platform/http/refused-tokens.ts';
import { tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import type { ErrorStatus } from './error-meanings.ts';
import { errorStatusList, tokenErrorMeanings, issueMeanings, statusMeanings } from './error-meanings.ts';
import type { JsonObject } from './schemas.ts';

const codes = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN_ERROR',
  'NOT_FOUND',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
];

/** Components that every error refers to. */
export const errorSchemas: Readonly<Record<string, JsonObject>> = {
  ErrorResponse: {
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
  },
  ErrorDetail: {
    type: 'object',
    description: 'What is wrong with one field.',
    properties: {
      field: {
        type: 'string',
        description:
          'Dotted path of a body field, name of a header or of a parameter of path or query, or a field of the resource that is named: its `status`.',
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
  },
};

/** A server failure of a simulation tool. `if`/`else`, because Java generated from `oneOf` would not compile. */
const toolFailure: JsonObject = {
  description: 'Texts; from the edge of the service the usual body.',
  if: { type: 'array', items: { type: 'string' } },
  else: { $ref: '#/components/schemas/ErrorResponse' },
};

/** Headers of responses. */
export const headers: JsonObject = {
  RequestId: {
    description:
      "The caller's `x-request-id` if it is a UUID, else a new one; it is in every log line. An answer that the gateway makes by itself has a new one, and the caller's in `x-caller-request-id`.",
    schema: { type: 'string' },
  },
  Challenge: {
    description:
      'What the token lacks (RFC 6750, 3): `Bearer realm="banking-order"` without a token; with `error="invalid_token"` or `error="insufficient_scope"` for one that is refused. Where a function answers (a token that ended less than a minute after it was taken; 403 without a usage plan) the gateway renames the header to `x-amzn-Remapped-www-authenticate`.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds after which the same request may be repeated.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` when this is the first answer to the key again.',
    schema: { type: 'string', const: 'true' },
  },
  Help: {
    description:
      'Pages that explain an error, as `<…>; rel="help"` (RFC 8288): of each of its issues, or of its status where it has no details.',
    schema: { type: 'string' },
  },
  NextPage: {
    description: 'Of a file that has a next page: its query, as `<?cursor=…>; rel="next"` (RFC 8288).',
    schema: { type: 'string' },
  },
};

export const requestIdHeader: JsonObject = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const retryAfter = new Set([429, 503, 504]);

/** Returns the statuses of an endpoint's errors, from its method, error codes and rule of the idempotency key. */
function errorStatuses({ method, errors, idempotencyKey }: Contract): readonly ErrorStatus[] {
  const changes = method !== 'GET';
  const given: Partial<Record<ErrorStatus, boolean>> = {
    404: errors.includes('NOT_FOUND'),
    422: idempotencyKey !== 'none',
    409: changes,
    413: changes,
    415: changes,
  };
  return errorStatusList.filter((status) => given[status] ?? true);
}

/** One error with its example. */
function errorResponse(status: ErrorStatus, shown: JsonObject, tool = false): JsonObject {
  return {
    description: statusMeanings[status].cause,
    headers: {
      ...requestIdHeader,
      link: { $ref: '#/components/headers/Help' },
      ...((status === 401 || status === 403) && { 'www-authenticate': { $ref: '#/components/headers/Challenge' } }),
      ...(retryAfter.has(status) && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
    },
    content: {
      'application/json': { schema: tool ? toolFailure : { $ref: '#/components/schemas/ErrorResponse' }, ...shown },
    },
  };
}

/** Returns the errors of an endpoint: inline if they depend on the operation, all others by reference. */
export function errorsOf(contract: Contract): JsonObject {
  const responseOf = (status: ErrorStatus): JsonObject => {
    if (dependsOnOperation(status)) return errorResponse(status, examplesOf(contract, status));
    const kind = contract.tool === true && status >= 500 ? 'Tool' : 'Error';
    return { $ref: `#/components/responses/${kind}${status}` };
  };
  return Object.fromEntries(errorStatuses(contract).map((status) => [String(status), responseOf(status)]));
}

/** A 401 for each cause. */
const tokenErrorExamples: JsonObject = Object.fromEntries(
  Object.entries(tokenErrors).map(([tokenError, message]) => [
    tokenError,
    {
      summary: tokenErrorMeanings[tokenError as TokenError].cause,
      value: { error: 'UNAUTHORIZED', message, details: [] },
    },
  ]),
);

/** The errors that do not depend on the operation. */
export const errorResponses: JsonObject = Object.fromEntries(
  errorStatusList
    .filter((status) => !dependsOnOperation(status))
    .flatMap((status) =>
      (status >= 500 ? [false, true] : [false]).map((tool): [string, JsonObject] => [
        `${tool ? 'Tool' : 'Error'}${status}`,
        errorResponse(
          status,
          status === 401 ? { examples: tokenErrorExamples } : { example: exampleOfError(status, tool) },
          tool,
        ),
      ]),
    ),
);
