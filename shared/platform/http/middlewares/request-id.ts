import type { APIGatewayProxyEvent } from 'aws-lambda';
import { isUuid } from '#shared/core/identifiers.ts';
import { nowMs } from '#shared/platform/clock.ts';
import { headerValues } from '../read-body.ts';
import type { EndpointMiddleware } from './middleware.ts';

const addToResponse: EndpointMiddleware['after'] = (request) => {
  const { response, context } = request;
  if (!response || context.requestId === undefined) return;
  request.response = { ...response, headers: { ...response.headers, 'x-request-id': context.requestId } };
};

/** Notes the start of a request and its id before anything can fail, and adds the id to each response. */
export const requestId: EndpointMiddleware = {
  before: ({ event, context }) => {
    context.startedMs = nowMs();
    context.requestId = requestIdOf(event);
  },
  after: addToResponse,
  onError: addToResponse,
};

/**
 * Returns the caller's `x-request-id` if the header was sent once and is a UUID. Otherwise returns the request id of
 * API Gateway, which its access log has too. Creates a UUID if neither is a UUID.
 */
function requestIdOf(event: APIGatewayProxyEvent): string {
  const [own, ...others] = headerValues(event, 'x-request-id');
  if (own !== undefined && others.length === 0 && isUuid(own)) return own.toLowerCase();
  const { requestId } = event.requestContext;
  return typeof requestId === 'string' && isUuid(requestId) ? requestId.toLowerCase() : crypto.randomUUID();
}
