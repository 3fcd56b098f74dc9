import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionLog } from '../functions/function-log.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { ApiModel, ThrottleLimits } from './api-model.ts';
import { createAuthorizer } from './authorizer.ts';
import type { GatewayResponseType, RefusedRequest } from './gateway-responses.ts';
import { renderGatewayResponse } from './gateway-responses.ts';
import { proxyEvent, readProxyResponse } from './proxy-integration.ts';
import type { GatewayRequest, HttpResponse } from './request.ts';
import { BadRequest, headerOf } from './request.ts';
import { createRouter } from './router.ts';
import { withRoutes } from './unknown-route.ts';

/** A request to the API and its response. */
export type Exchange = {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly userAgent: string | undefined;
  /** The API client that the request's token names. The signature is not checked. */
  readonly clientId: string | undefined;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly sent: string;
  readonly responseBody: string;
};

export type Gateway = {
  readonly handle: (request: GatewayRequest) => Promise<HttpResponse>;
  /** Returns a response of the gateway itself, also to a request that cannot be read. */
  readonly refuse: (type: GatewayResponseType, request: RefusedRequest, status?: number) => HttpResponse;
};

/**
 * Creates a gateway with the order of API Gateway: route, throttle, authorizer, integration. If one of them fails, the
 * gateway sends its own response.
 */
export function createGateway(api: ApiModel, runtime: FunctionRuntime, log: FunctionLog): Gateway {
  const route = createRouter(api.routes);
  const authorize = createAuthorizer(api, runtime);
  const mayPass = createThrottle(api.throttle);
  const refuse: Gateway['refuse'] = (type, request, status) =>
    renderGatewayResponse(api.gatewayResponses, type, request, status);

  const handle = async (request: GatewayRequest): Promise<HttpResponse> => {
    const match = route(request.method, request.path);
    if (match === undefined) return withRoutes(refuse('MISSING_AUTHENTICATION_TOKEN', request), api.routes, request);
    if (!mayPass()) return refuse('THROTTLED', request);
    const { authorizer, target, timeoutMs } = match.route;
    const { refusedBy, context } = authorizer ? await authorize(request, authorizer) : {};
    if (refusedBy !== undefined) return refuse(refusedBy, { ...request, ...(context && { authorizer: context }) });
    const event = proxyEvent(api, request, match, context);
    const enough = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: enough.signal }).catch(() => undefined);
    const outcome = await Promise.race([runtime.invoke(target, event), timeout]);
    enough.abort();
    if (outcome === undefined) return refuse('INTEGRATION_TIMEOUT', request);
    if (!outcome.ok) return refuse(outcome.reason === 'too-large' ? 'REQUEST_TOO_LARGE' : 'DEFAULT_5XX', request);
    const response = readProxyResponse(outcome.payload);
    if (response !== undefined) return response;
    log.failure(target.id, 'The result is not { statusCode, headers, body } with one string for each header.');
    return refuse('DEFAULT_5XX', request);
  };

  return {
    refuse,
    handle: async (request) => {
      const response = await handle(request).catch((error: unknown) => {
        // A path parameter is decoded only after its route was found.
        if (error instanceof BadRequest) return refuse('BAD_REQUEST_PARAMETERS', request);
        throw error;
      });
      return { ...response, headers: { 'x-amzn-RequestId': request.id, ...response.headers } };
    },
  };
}

/**
 * A token bucket of the stage's limits; without limits every request passes.
 *
 * @param clock Milliseconds, monotonic.
 */
export function createThrottle(limits: ThrottleLimits | undefined, clock = () => performance.now()): () => boolean {
  if (limits === undefined) return () => true;
  let tokens = limits.burst;
  let filledAt = clock();
  return () => {
    const now = clock();
    tokens = Math.min(limits.burst, tokens + ((now - filledAt) / 1000) * limits.rate);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Returns the client that a bearer token names (`azp`), without checking its signature. */
function clientOf(authorization: string | undefined): string | undefined {
  const [, claims = ''] = authorization?.split('.') ?? [];
  try {
    const { azp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { readonly azp?: unknown };
    return typeof azp === 'string' ? azp : undefined;
  } catch {
    return undefined;
  }
}

/** A gateway that reports each exchange after its response. */
export function watchGateway(gateway: Gateway, report: (exchange: Exchange) => void): Gateway {
  return {
    ...gateway,
    handle: async (request) => {
      const response = await gateway.handle(request);
      const { at, method, path, query, body } = request;
      const pairs = Object.entries(query).flatMap(([name, values]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const search = new URLSearchParams(pairs).toString();
      const [, id] = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'x-request-id') ?? [];
      report({
        at: at.getTime(),
        durationMs: Date.now() - at.getTime(),
        method,
        path: search === '' ? path : `${path}?${search}`,
        userAgent: headerOf(request, 'user-agent'),
        clientId: clientOf(headerOf(request, 'authorization')),
        status: response.status,
        requestId: id,
        sent: body.toString('utf8'),
        responseBody: response.body.toString('utf8'),
      });
      return response;
    },
  };
}
