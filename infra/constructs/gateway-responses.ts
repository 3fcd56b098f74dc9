import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { ErrorCode } from '../../shared/contracts/contract.ts';

type EdgeAnswer = {
  /** Absent: the status that API Gateway chose stays. */
  readonly status?: number;
  readonly error: ErrorCode;
  readonly message: string;
  /** The same request is worth repeating after a second. */
  readonly retry?: true;
};

const UNKNOWN_ROUTE: EdgeAnswer = { status: 404, error: 'NOT_FOUND', message: 'There is no such route.' };
const THROTTLED: EdgeAnswer = {
  status: 429,
  error: 'TOO_MANY_REQUESTS',
  message: 'Too many requests. The same request may be repeated later.',
  retry: true,
};
const UNAUTHORIZED: EdgeAnswer = { status: 401, error: 'UNAUTHORIZED', message: 'The token is missing or invalid.' };
const FORBIDDEN: EdgeAnswer = {
  status: 403,
  error: 'FORBIDDEN_ERROR',
  message: 'The token does not give access to this service.',
};
/** Nothing was carried out: the caller could not be identified. */
const CANNOT_IDENTIFY: EdgeAnswer = {
  status: 503,
  error: 'INTERNAL_ERROR',
  message: 'The caller cannot be identified now. Nothing was carried out; the request may be repeated.',
  retry: true,
};
const OUTCOME_UNKNOWN = 'The outcome may be unknown; the same request with the same idempotency key is safe to repeat.';

/** What API Gateway answers by itself, in the error body of the service (section 7 of the specification). */
export const edgeAnswers = {
  DEFAULT_4XX: { error: 'INVALID_REQUEST', message: 'The request cannot be processed.' },
  DEFAULT_5XX: { error: 'INTERNAL_ERROR', message: `The service failed. ${OUTCOME_UNKNOWN}` },
  UNAUTHORIZED,
  EXPIRED_TOKEN: UNAUTHORIZED,
  INVALID_SIGNATURE: UNAUTHORIZED,
  ACCESS_DENIED: FORBIDDEN,
  INVALID_API_KEY: { ...FORBIDDEN, message: 'The company of this token is not onboarded.' },
  WAF_FILTERED: { ...FORBIDDEN, message: 'The request was refused by the firewall.' },
  MISSING_AUTHENTICATION_TOKEN: UNKNOWN_ROUTE,
  RESOURCE_NOT_FOUND: UNKNOWN_ROUTE,
  THROTTLED,
  QUOTA_EXCEEDED: THROTTLED,
  BAD_REQUEST_BODY: { status: 400, error: 'INVALID_REQUEST', message: 'The body cannot be read.' },
  BAD_REQUEST_PARAMETERS: { status: 400, error: 'INVALID_REQUEST', message: 'The parameters cannot be read.' },
  REQUEST_TOO_LARGE: { status: 413, error: 'INVALID_REQUEST', message: 'The request is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, error: 'INVALID_REQUEST', message: 'The body must be application/json.' },
  AUTHORIZER_FAILURE: CANNOT_IDENTIFY,
  AUTHORIZER_CONFIGURATION_ERROR: CANNOT_IDENTIFY,
  API_CONFIGURATION_ERROR: { status: 500, error: 'INTERNAL_ERROR', message: 'The service failed.' },
  INTEGRATION_FAILURE: {
    status: 503,
    error: 'INTERNAL_ERROR',
    message: `The service cannot answer now. ${OUTCOME_UNKNOWN}`,
    retry: true,
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    error: 'INTERNAL_ERROR',
    message: `The service did not answer in time. ${OUTCOME_UNKNOWN}`,
    retry: true,
  },
} as const satisfies Readonly<Record<string, EdgeAnswer>>;

/** Headers that a function sets on its own answers too; values are expressions of API Gateway, literals in quotes. */
const HEADERS = {
  'x-request-id': 'context.requestId',
  'cache-control': "'no-store'",
  'x-content-type-options': "'nosniff'",
} as const;

/** Gives every answer that does not come from a function the body and headers of those that do. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, answer] of Object.entries<EdgeAnswer>(edgeAnswers)) {
    const { error, message } = answer;
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      ...(answer.status !== undefined && { statusCode: `${answer.status}` }),
      responseHeaders: { ...HEADERS, ...(answer.retry === true && { 'retry-after': "'1'" }) },
      templates: { 'application/json': JSON.stringify({ error, message, details: [] }) },
    });
  }
}
