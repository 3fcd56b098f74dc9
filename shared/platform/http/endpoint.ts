import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { respondToCaller } from '#sandbox';
import type { Contract, FileResponse, Operation, ResponseOf } from '#shared/contract/contract.ts';
import { everyEndpoint } from './middlewares/every-endpoint.ts';
import { addedBy } from './middlewares/middleware.ts';
import type { EndpointContext } from './middlewares/middleware.ts';
import { parseRequest } from './middlewares/parse-request.ts';
import type { DependenciesOf, ParsedContext } from './middlewares/parse-request.ts';
import type { HttpResponse } from './responses.ts';
import { fileResponse, jsonResponse, replayedHeader } from './responses.ts';

type EndpointHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<HttpResponse>;

/**
 * Returns the Lambda handler of an endpoint: its operation inside the middlewares. `build` creates the dependencies at
 * the first request. `parseRequest` is in a second Middy, because the faults of the sandbox are between it and the
 * caller, and Middy has no middleware around others: an invalid request loses its response, too.
 */
export function endpoint<C extends Contract, D extends DependenciesOf<C>>(
  contract: C,
  operation: Operation<C, D>,
  build: () => D,
  middlewares = everyEndpoint,
): EndpointHandler {
  // The outer Middy alone watches the time of the function.
  const parseAndRun = middy<APIGatewayProxyEvent, HttpResponse, Error, ParsedContext<C, D>>({ timeoutEarlyInMillis: 0 })
    .use(parseRequest(contract, build))
    .handler(async (_event, context) => {
      const { request, dependencies } = addedBy('parseRequest', context.parsed);
      const response: ResponseOf<C> | FileResponse = await operation(request, dependencies);
      if ('file' in response) return fileResponse(response.file);
      return jsonResponse(response.status, response.body, response.replayed === true ? replayedHeader : {});
    });
  return middy<APIGatewayProxyEvent, HttpResponse, Error, EndpointContext>()
    .use([...middlewares(contract)])
    .handler(async (event, context) => {
      const { companyId } = addedBy('caller', context.caller);
      return respondToCaller(event, { ...contract, companyId }, () => parseAndRun(event, context));
    });
}
