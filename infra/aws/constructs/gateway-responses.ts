import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { EnvironmentSettings } from '#infra/settings.ts';
import type { ErrorCode } from '#shared/contract/contract.ts';
import { helpLink } from '#shared/platform/http/help-link.ts';
import type { TokenErrorContext, TokenError } from '#shared/platform/http/refused-tokens.ts';
import { noAccess, tokenErrors } from '#shared/platform/http/refused-tokens.ts';
import { repetitionOfAny, challenges } from '#shared/platform/http/responses.ts';

type EdgeResponse = {
  /** Absent: API Gateway chooses it. */
  readonly status?: number;
  readonly error: ErrorCode;
  readonly message: string;
  /** The same request is worth repeating after a second. */
  readonly retry?: true;
  /** `WWW-Authenticate` (RFC 6750, 3). */
  readonly challenge?: string;
};

/** @param retry The same request is worth repeating after a second. */
function edge(status: number, error: ErrorCode, message: string, retry = false): EdgeResponse {
  return { status, error, message, ...(retry && { retry }) };
}

/** API Gateway has one fixed text for an unknown path and an unknown method. A list of all routes would be 2 kB. */
const unknownRoute = edge(
  404,
  'NOT_FOUND',
  'There is no such route: the path is unknown, or does not have this method. The API document has every route.',
);
const throttled = edge(429, 'TOO_MANY_REQUESTS', 'Too many requests. The same request is safe to repeat later.', true);
/** API Gateway found no token, and did not ask the authorizer. */
const noToken: EdgeResponse = { ...edge(401, 'UNAUTHORIZED', tokenErrors.MISSING), challenge: challenges.noToken };
function badToken(message: string): EdgeResponse {
  return { ...edge(401, 'UNAUTHORIZED', message), challenge: challenges.invalidToken };
}
const badTokenOf = (error: TokenError): EdgeResponse => badToken(tokenErrors[error]);
/** The authorizer's message about a token. API Gateway does not escape it: it must be a text of the service. */
const errorMessage = `$context.authorizer.${'message' satisfies keyof TokenErrorContext}`;
const forbidden: EdgeResponse = { ...edge(403, 'FORBIDDEN_ERROR', noAccess), challenge: challenges.otherToken };
/** The authorizer failed: the service did nothing. */
const cannotIdentify = edge(
  503,
  'INTERNAL_ERROR',
  'The caller cannot be identified now. Nothing was carried out: the same request is safe to repeat.',
  true,
);

/** API Gateway's own responses, with the service's error body (section 7 of the specification). */
export const edgeResponses = {
  DEFAULT_4XX: { error: 'INVALID_REQUEST', message: 'The request cannot be processed.' },
  // By default API Gateway responds 502 for a function that crashed or timed out: the API document has no 502.
  DEFAULT_5XX: edge(500, 'INTERNAL_ERROR', `The service failed. ${repetitionOfAny}`),
  UNAUTHORIZED: noToken,
  // The authorizer denies only invalid tokens.
  ACCESS_DENIED: badToken(errorMessage),
  EXPIRED_TOKEN: badTokenOf('EXPIRED'),
  INVALID_SIGNATURE: badTokenOf('FOREIGN'),
  // A caller without access has no API key of the usage plan. Without a usage plan the function responds with the same.
  INVALID_API_KEY: forbidden,
  WAF_FILTERED: edge(403, 'FORBIDDEN_ERROR', 'The request was refused by the firewall.'),
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  RESOURCE_NOT_FOUND: unknownRoute,
  THROTTLED: throttled,
  QUOTA_EXCEEDED: throttled,
  BAD_REQUEST_BODY: edge(400, 'INVALID_REQUEST', 'The body cannot be read.'),
  BAD_REQUEST_PARAMETERS: edge(400, 'INVALID_REQUEST', 'The parameters cannot be read.'),
  REQUEST_TOO_LARGE: edge(413, 'INVALID_REQUEST', 'The request is too large.'),
  UNSUPPORTED_MEDIA_TYPE: edge(415, 'INVALID_REQUEST', 'The body must be application/json.'),
  AUTHORIZER_FAILURE: cannotIdentify,
  AUTHORIZER_CONFIGURATION_ERROR: cannotIdentify,
  // Also possible for a function that exceeds its own time limit.
  API_CONFIGURATION_ERROR: edge(500, 'INTERNAL_ERROR', `The service failed. ${repetitionOfAny}`),
  INTEGRATION_FAILURE: edge(503, 'INTERNAL_ERROR', `The service cannot answer now. ${repetitionOfAny}`, true),
  INTEGRATION_TIMEOUT: edge(504, 'INTERNAL_ERROR', `The service did not answer in time. ${repetitionOfAny}`, true),
} as const satisfies Readonly<Record<string, EdgeResponse>>;

/**
 * The headers of a function's response, as expressions of API Gateway; literals are in quotes. An expression has no
 * fallback: `x-request-id` is always the gateway's id, and `x-caller-request-id` returns the caller's own id, if any.
 */
const headers = {
  'x-request-id': 'context.requestId',
  'x-caller-request-id': 'method.request.header.x-request-id',
  'cache-control': "'no-store'",
  'x-content-type-options': "'nosniff'",
} as const;

/** Gives API Gateway's own responses the body and headers of the functions' responses. */
export function addGatewayResponses(
  api: RestApi,
  { errorPages }: Pick<EnvironmentSettings['api'], 'errorPages'>,
): void {
  for (const [type, response] of Object.entries<EdgeResponse>(edgeResponses)) {
    const { error, message, challenge } = response;
    api.addGatewayResponse(type, {
      type: ResponseType.of(type),
      ...(response.status !== undefined && { statusCode: `${response.status}` }),
      responseHeaders: {
        ...headers,
        link: `'${helpLink(errorPages, response.status ?? 400, [])}'`,
        ...(response.retry === true && { 'retry-after': "'1'" }),
        ...(challenge !== undefined && { 'www-authenticate': `'${challenge}'` }),
      },
      templates: { 'application/json': JSON.stringify({ error, message, details: [] }) },
    });
  }
}
