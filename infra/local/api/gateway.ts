import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '#infra/console/server/requests.ts';
import type { FunctionRuntime } from '../functions/function-runtime.ts';
import type { ApiModel, ThrottleLimits } from './api-model.ts';
import type { AuthorizerDecision } from './authorizer.ts';
import { createAuthorizer } from './authorizer.ts';
import type { GatewayContext, GatewayResponseType } from './gateway-responses.ts';
import { renderGatewayResponse, requestHeader } from './gateway-responses.ts';
import type { AuthorizerContext, HttpResponse } from './proxy-integration.ts';
import { proxyEvent, readProxyResponse } from './proxy-integration.ts';
import type { GatewayRequest, Match } from './request.ts';
import { BadRequest, headerOf, createRouter } from './request.ts';

export type Gateway = {
  readonly handle: (request: GatewayRequest) => Promise<HttpResponse>;
  /** An answer of the gateway itself, for a request that could not even be read. */
  readonly refuse: (
    type: GatewayResponseType,
    context: GatewayContext,
    failure?: { status?: number; message?: string },
  ) => HttpResponse;
};

/** API Gateway in order: route, throttle, authorizer, integration, and its own answers where one of them says no. */
export function createGateway(api: ApiModel, runtime: FunctionRuntime): Gateway {
  const route = createRouter(api.routes);
  const authorize = createAuthorizer(api, runtime);
  const mayPass = createThrottle(api.throttle);
  const refuse: Gateway['refuse'] = (type, context, failure) => {
    const answer = renderGatewayResponse(api.gatewayResponses, type, context, failure);
    return { ...answer, body: Buffer.from(answer.body) };
  };

  const handle = async (request: GatewayRequest): Promise<HttpResponse> => {
    const match = route(request.method, request.path);
    const context = contextOf(api, request, match);
    if (match === undefined) return refuse('MISSING_AUTHENTICATION_TOKEN', context);
    if (!mayPass()) return refuse('THROTTLED', context);
    let caller: AuthorizerContext | undefined;
    if (match.route.authorizer !== undefined) {
      const decision = await authorize(request, match.route.authorizer);
      if (decision.kind !== 'allowed') return refuse(...responseTo(decision, context));
      caller = decision.context;
    }
    return integrate(request, match, caller, context);
  };

  const integrate = async (
    request: GatewayRequest,
    match: Match,
    caller: AuthorizerContext | undefined,
    context: GatewayContext,
  ): Promise<HttpResponse> => {
    const event = proxyEvent(api, request, match, caller);
    const enough = new AbortController();
    const timeout = sleep(match.route.timeoutMs, undefined, { signal: enough.signal }).catch(() => undefined);
    const outcome = await Promise.race([runtime.invoke(match.route.target, event), timeout]);
    enough.abort();
    if (outcome === undefined) return refuse('INTEGRATION_TIMEOUT', context);
    if (!outcome.ok) return refuse(outcome.reason === 'too-large' ? 'REQUEST_TOO_LARGE' : 'DEFAULT_5XX', context);
    return readProxyResponse(outcome.payload) ?? refuse('DEFAULT_5XX', context);
  };

  return {
    refuse,
    handle: async (request) => {
      const answer = await handle(request).catch((error: unknown) => {
        // A path parameter may be encoded so that only its route shows it to be wrong.
        if (error instanceof BadRequest) return refuse('BAD_REQUEST_PARAMETERS', contextOf(api, request, undefined));
        throw error;
      });
      return { ...answer, headers: { 'x-amzn-RequestId': request.id, ...answer.headers } };
    },
  };
}

function responseTo(
  decision: Exclude<AuthorizerDecision, { kind: 'allowed' }>,
  context: GatewayContext,
): [GatewayResponseType, GatewayContext, { message?: string }] {
  switch (decision.kind) {
    case 'unauthorized':
      return ['UNAUTHORIZED', context, {}];
    case 'denied':
      return [
        'ACCESS_DENIED',
        context,
        decision.explicit ? { message: 'User is not authorized to access this resource with an explicit deny' } : {},
      ];
    case 'misconfigured':
      return ['AUTHORIZER_CONFIGURATION_ERROR', context, {}];
    case 'failed':
      return ['AUTHORIZER_FAILURE', context, {}];
  }
}

function contextOf(api: ApiModel, request: GatewayRequest, match: Match | undefined): GatewayContext {
  return {
    requestId: request.id,
    extendedRequestId: request.id,
    httpMethod: request.method,
    path: `/${api.stage}${request.path}`,
    resourcePath: match?.route.resourcePath,
    stage: api.stage,
    requestTimeEpoch: `${request.at.getTime()}`,
    'identity.sourceIp': request.sourceIp,
    'identity.userAgent': headerOf(request, 'user-agent'),
    ...Object.fromEntries(Object.entries(request.headers).map(([name, all]) => [requestHeader(name), all.at(-1)])),
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

/** A gateway that reports each exchange after its response. */
export function watchGateway(gateway: Gateway, report: (exchange: Exchange) => void): Gateway {
  return {
    ...gateway,
    handle: async (request) => {
      const answer = await gateway.handle(request);
      const { at, method, path, query, body } = request;
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
      ).toString();
      const id = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'x-request-id')?.[1];
      report({
        at: at.getTime(),
        durationMs: Date.now() - at.getTime(),
        method,
        path: search === '' ? path : `${path}?${search}`,
        userAgent: headerOf(request, 'user-agent'),
        status: answer.status,
        requestId: [id].flat().at(0),
        sent: body.toString('utf8'),
        answered: answer.body.toString('utf8'),
      });
      return answer;
    },
  };
}
