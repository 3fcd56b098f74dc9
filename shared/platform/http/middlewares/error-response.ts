import type { Contract } from '#shared/contract/contract.ts';
import { headerValues } from '../read-body.ts';
import { responseToError } from '../responses.ts';
import type { EndpointMiddleware } from './middleware.ts';

/** Answers every error, also one of Middy's when the time of the function ends (section 7 of the specification). */
export function errorResponse(contract: Contract): EndpointMiddleware {
  return {
    onError: (request) => {
      const hasKey = headerValues(request.event, 'idempotency-key').length > 0;
      request.response = responseToError(request.error, { ...contract, hasKey });
    },
  };
}
