import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { routes } from '#functions/routes.ts';
import type { ErrorCode } from '#shared/contract/contract.ts';
import { repetitionOfAny, challenges } from '#shared/platform/http/responses.ts';

type EdgeAnswer = {
  /** Absent: the status that API Gateway chose stays. */
  readonly status?: number;
  readonly error: ErrorCode;
  readonly message: string;
  /** The same request is worth repeating after a second. */
  readonly retry?: true;
  /** `WWW-Authenticate` (RFC 6750, 3). */
  readonly challenge?: string;
};

/** `POST /order/v1/…, GET /order/v1/…`. */
function routeNames(simulation: boolean): string {
  const named = routes.filter((route) => (route.simulation === true) === simulation);
  return named.map(({ contract: { method, path } }) => `${method} ${path}`).join(', ');
}

/**
 * For a path that is not there and for a method that a path does not have: API Gateway answers both alike, with a text
 * that is the same for every request. So it names every route; methods that catch the rest would cost a call each.
 */
const unknownRoute: EdgeAnswer = {
  status: 404,
  error: 'NOT_FOUND',
  message:
    'There is no such route: the path is unknown, or does not have this method. ' +
    `The routes are: ${routeNames(false)}. Outside production also: ${routeNames(true)}.`,
};
const throttled: EdgeAnswer = {
  status: 429,
  error: 'TOO_MANY_REQUESTS',
  message: 'Too many requests. The same request is safe to repeat later.',
  retry: true,
};
const unauthorized: EdgeAnswer = {
  status: 401,
  error: 'UNAUTHORIZED',
  message:
    'The token is missing or invalid: it must follow the word Bearer, come from the issuer of this environment, and not have expired.',
  challenge: challenges.noToken,
};
const forbidden: EdgeAnswer = {
  status: 403,
  error: 'FORBIDDEN_ERROR',
  message: 'The token does not give access to this service.',
  challenge: challenges.otherToken,
};
/** Nothing was carried out: the caller could not be identified. */
const cannotIdentify: EdgeAnswer = {
  status: 503,
  error: 'INTERNAL_ERROR',
  message: 'The caller cannot be identified now. Nothing was carried out: the same request is safe to repeat.',
  retry: true,
};

/** What API Gateway answers by itself, in the error body of the service (section 7 of the specification). */
export const edgeAnswers = {
  DEFAULT_4XX: { error: 'INVALID_REQUEST', message: 'The request cannot be processed.' },
  DEFAULT_5XX: { error: 'INTERNAL_ERROR', message: `The service failed. ${repetitionOfAny}` },
  UNAUTHORIZED: unauthorized,
  EXPIRED_TOKEN: unauthorized,
  INVALID_SIGNATURE: unauthorized,
  ACCESS_DENIED: forbidden,
  INVALID_API_KEY: { ...forbidden, message: 'The company of this token is not onboarded.' },
  WAF_FILTERED: { status: 403, error: 'FORBIDDEN_ERROR', message: 'The request was refused by the firewall.' },
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  RESOURCE_NOT_FOUND: unknownRoute,
  THROTTLED: throttled,
  QUOTA_EXCEEDED: throttled,
  BAD_REQUEST_BODY: { status: 400, error: 'INVALID_REQUEST', message: 'The body cannot be read.' },
  BAD_REQUEST_PARAMETERS: { status: 400, error: 'INVALID_REQUEST', message: 'The parameters cannot be read.' },
  REQUEST_TOO_LARGE: { status: 413, error: 'INVALID_REQUEST', message: 'The request is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, error: 'INVALID_REQUEST', message: 'The body must be application/json.' },
  AUTHORIZER_FAILURE: cannotIdentify,
  AUTHORIZER_CONFIGURATION_ERROR: cannotIdentify,
  // A function that outlives its own time limit may be answered by this one.
  API_CONFIGURATION_ERROR: {
    status: 500,
    error: 'INTERNAL_ERROR',
    message: `The service failed. ${repetitionOfAny}`,
  },
  INTEGRATION_FAILURE: {
    status: 503,
    error: 'INTERNAL_ERROR',
    message: `The service cannot answer now. ${repetitionOfAny}`,
    retry: true,
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    error: 'INTERNAL_ERROR',
    message: `The service did not answer in time. ${repetitionOfAny}`,
    retry: true,
  },
} as const satisfies Readonly<Record<string, EdgeAnswer>>;

/**
 * Headers that a function sets on its own answers too; values are expressions of API Gateway, literals in quotes. An
 * expression has no alternative: `x-request-id` could be the caller's or be there always, and it is there always. The
 * caller's comes back beside it, as it was sent; where none was sent, API Gateway leaves that header out.
 */
const headers = {
  'x-request-id': 'context.requestId',
  'x-caller-request-id': 'method.request.header.x-request-id',
  'cache-control': "'no-store'",
  'x-content-type-options': "'nosniff'",
} as const;

/** Gives every answer that does not come from a function the body and headers of those that do. */
export function addGatewayResponses(api: RestApi): void {
  for (const [type, answer] of Object.entries<EdgeAnswer>(edgeAnswers)) {
    const { error, message, challenge } = answer;
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      ...(answer.status !== undefined && { statusCode: `${answer.status}` }),
      responseHeaders: {
        ...headers,
        ...(answer.retry === true && { 'retry-after': "'1'" }),
        ...(challenge !== undefined && { 'www-authenticate': `'${challenge}'` }),
      },
      templates: { 'application/json': JSON.stringify({ error, message, details: [] }) },
    });
  }
}
