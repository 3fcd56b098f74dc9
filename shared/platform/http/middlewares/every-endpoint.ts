import type { Contract } from '#shared/contract/contract.ts';
import { caller } from './caller.ts';
import { errorResponse } from './error-response.ts';
import type { EndpointMiddleware } from './middleware.ts';
import { requestId } from './request-id.ts';
import { requestLog } from './request-log.ts';

/**
 * Returns the middlewares of every endpoint, in Middy's order: `before` runs from the first to the last, `after` and
 * `onError` from the last to the first. It is the one place for another middleware. Behind `caller` it knows the
 * caller, and its errors are answered and logged. It refuses a request by a RequestError: an early response of Middy
 * would have no log line and no request id.
 */
export function everyEndpoint(contract: Contract): readonly EndpointMiddleware[] {
  return [requestId, requestLog(contract), errorResponse(contract), caller];
}
