import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '#shared/contract/contract.ts';
import { RequestError } from '#shared/core/errors.ts';
import type { CallerContext } from '../refused-tokens.ts';
import { noAccess, tokenErrors } from '../refused-tokens.ts';
import { addedBy } from './middleware.ts';
import type { EndpointMiddleware } from './middleware.ts';

/** Requires an authenticated caller. */
export const caller: EndpointMiddleware = {
  before: ({ event, context }) => {
    context.caller = callerOf(event, addedBy('requestId', context.startedMs));
  },
};

/**
 * Returns the company and client that the authorizer names. API Gateway may cache the authorizer's response, so the
 * expiry of the token is checked again.
 * @throws RequestError 401 for a missing or expired token; 403 for a valid token that gives no access.
 */
function callerOf(event: APIGatewayProxyEvent, nowMs: number): Caller {
  const context = event.requestContext.authorizer as Partial<CallerContext> | null | undefined;
  const { companyId, clientId, expiresAt, refusal } = context ?? {};
  const named = companyId !== undefined && clientId !== undefined ? { companyId, clientId } : undefined;
  if (named === undefined && refusal === undefined) throw new RequestError('unauthorized', tokenErrors.MISSING);
  if (!(Number(expiresAt) * 1000 > nowMs)) throw new RequestError('unauthorized', tokenErrors.EXPIRED);
  if (named === undefined || refusal !== undefined) throw new RequestError('forbidden', noAccess);
  return named;
}
